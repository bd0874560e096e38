"""Jobs that are stated in hours on a known device: rendering, simulation, fp64 science, video."""

import re
from dataclasses import dataclass

from outboard import catalog
from outboard.cost.durations import HOUR
from outboard.cost.money import wrong
from outboard.errors import UnitError, UnknownNameError, UsageError
from outboard.i18n import _
from outboard.types.evidence import Fact
from outboard.types.hardware import Device, Place
from outboard.units import parse

PREFIX = "hours:"
BOUNDS = ("fp32", "fp64", "bandwidth", "tensor")
EXAMPLE = "hours:10 h on an RTX 3090, bound by fp32"
FORM = re.compile(r"^hours:\s*(?P<time>.+?)\s+on\s+(?:an?\s+)?(?P<place>.+?)\s*,\s*bound by\s+(?P<bound>\w+)\s*$", re.I)


@dataclass(frozen=True)
class StatedHours:
    """So many hours on this place, and what sets its pace there."""

    hours: float
    place: Place
    bound: str


def read_hours(text: str, path: str = "") -> StatedHours:
    """Read the workload of an ``hours:`` job.

    >>> read_hours("hours:10 h on an RTX 3090, bound by fp32").place.name
    'rtx-3090'
    """
    match = FORM.match(" ".join(text.split()))
    if match is None:
        raise wrong(path, "workload", _("'{text}' does not say time, device and bound").format(text=text), EXAMPLE)
    bound = match["bound"].lower()
    if bound not in BOUNDS:
        problem = _("'{bound}' is no bound (known: {names})").format(bound=bound, names=", ".join(BOUNDS))
        raise wrong(path, "workload", problem, EXAMPLE)
    try:
        seconds = parse(match["time"], "s")
        place = catalog.place(match["place"])
    except UnitError:
        raise wrong(path, "workload", _("'{text}' is no time").format(text=match["time"]), EXAMPLE) from None
    except UnknownNameError as error:
        raise UsageError(f"{path}: workload: {error}") from None
    if seconds <= 0 or match["time"].strip().isdigit():
        raise wrong(path, "workload", _("'{text}' is no time").format(text=match["time"]), EXAMPLE)
    if rate_of(place.device, bound) is None:
        problem = _("the {bound} rate of {device} is not known").format(bound=bound, device=place.device.id)
        raise wrong(path, "workload", problem, EXAMPLE)
    return StatedHours(seconds / HOUR, place, bound)


def rate_of(device: Device, bound: str) -> Fact | None:
    """Return what sets the pace on ``device``: a rate of its catalogue entry, None where it has none.

    "tensor" is the rate of 16-bit matrix units; a device without them works at its ordinary 16-bit or fp32 rate.
    """
    if bound == "bandwidth":
        return device.memory_bandwidth
    if bound == "tensor":
        return device.matmul.get("fp16") or device.vector.get("fp16") or device.vector.get("fp32")
    if bound == "fp64":
        # Matrix units do fp64 on few data-centre devices, and only for code that was written for them.
        return device.vector.get("fp64")
    return device.vector.get(bound)


def speedup(stated: StatedHours, place: Place) -> float | None:
    """Return how many times as fast ``place`` is as the stated one, devices in proportion; None where unknown."""
    here, there = rate_of(place.device, stated.bound), rate_of(stated.place.device, stated.bound)
    if here is None or there is None:
        return None
    return here.value * place.count / (there.value * stated.place.count)
