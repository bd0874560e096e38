"""Slices of a GPU (Multi-Instance GPU): ``h100-mig-1g.10gb`` is a device with its own share of everything.

Multiprocessors, memory, bandwidth and cache of a slice are its alone. A program sees one slice at a time, and slices
cannot reach each other, so two of them are two devices of one job never (NVIDIA MIG User Guide, "Application
Considerations").
"""

import re
from dataclasses import replace
from functools import cache
from typing import Any

from outboard.catalog.reader import DATA, read_toml
from outboard.errors import UnknownNameError, UsageError
from outboard.i18n import _
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Device

FILE = DATA / "mig.toml"
NAME = re.compile(r"^(.+?)[\s_:/-]*\bmig[\s_:-]*(\d+)g[\s._-]+(\d+)\s*gb(?:\+me)?$", re.IGNORECASE)
MARK = "-mig-"
SOURCE = "NVIDIA MIG User Guide, supported profiles, as remembered: {units} multiprocessors, {memory:.0%} of the memory"
# Of its share of the card's memory a slice offers a little less: 4.75 of 4.95 GiB on an A100, 9.62 of 9.9 on an H100.
OFFERED, OFFERED_LOW, OFFERED_HIGH = 0.975, 0.955, 1.0


def parts(name: str) -> tuple[str, str] | None:
    """``(name of the whole GPU, profile)`` of a slice; None where ``name`` is not that of one.

    >>> parts("NVIDIA H100 MIG 1g.10gb"), parts("rtx-4090")
    (('NVIDIA H100', '1g.10gb'), None)
    """
    found = NAME.match(name.strip())
    return (found[1], f"{found[2]}g.{found[3]}gb") if found else None


def is_slice(device: Device) -> bool:
    """Whether a device is a slice of one."""
    return MARK in device.id


def profiles(device: Device) -> dict[str, dict[str, float]]:
    """Profiles of a GPU by name; none where it cannot be cut."""
    table = _tables().get(device.id, {})
    return _tables()[table["like"]] if "like" in table else table


def slice_of(device: Device, profile: str) -> Device:
    """One slice of ``device``. Raises :class:`UsageError` for a GPU that cannot be cut, and for unknown profiles."""
    known = profiles(device)
    if not known:
        message = _("{device} cannot be cut into MIG slices; these can: {names}")
        raise UsageError(message.format(device=device.id, names=", ".join(_tables())))
    if profile not in known:
        raise UnknownNameError(_("MIG profile"), profile, list(known))
    units, memory = known[profile]["units"], known[profile]["memory"]
    source = SOURCE.format(units=units, memory=memory)
    compute = units / device.units.value
    whole = device.usable_memory or device.memory
    usable = whole.value * memory
    return replace(
        device,
        id=f"{device.id}{MARK}{profile}",
        name=f"{device.name} MIG {profile}",
        memory=_cut(device.memory, memory, source),
        usable_memory=Fact(
            usable * OFFERED, "bytes", source, Evidence.ASSUMED, usable * OFFERED_LOW, usable * OFFERED_HIGH
        ),
        memory_bandwidth=_cut(device.memory_bandwidth, memory, source),
        units=Fact(units, "1", source, Evidence.ASSUMED),
        l2=None if device.l2 is None else _cut(device.l2, memory, source),
        matmul={kind: _cut(rate, compute, source) for kind, rate in device.matmul.items()},
        vector={kind: _cut(rate, compute, source) for kind, rate in device.vector.items()},
        matmul_fp16_accumulate=_maybe(device.matmul_fp16_accumulate, compute, source),
        launch_price=None,  # nobody buys one
        notes=(*device.notes, _("a slice: a program sees one of them, and none can reach another")),
    )


def _cut(fact: Fact, share: float, source: str) -> Fact:
    low, high = (None if end is None else end * share for end in (fact.low, fact.high))
    return replace(fact, value=fact.value * share, source=f"{fact.source}; {source}", low=low, high=high)


def _maybe(fact: Fact | None, share: float, source: str) -> Fact | None:
    return None if fact is None else _cut(fact, share, source)


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return dict(read_toml(FILE))
