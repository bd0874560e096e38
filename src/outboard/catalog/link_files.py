"""Links: how a device hangs on its host, and how devices are joined with each other. One TOML file each."""

import re
from functools import cache
from pathlib import Path

from outboard.catalog.architectures import architectures
from outboard.catalog.device_files import index as device_index
from outboard.catalog.device_files import load as load_device
from outboard.catalog.device_files import names
from outboard.catalog.names import nearest, squeeze
from outboard.catalog.reader import DATA, Table
from outboard.errors import UnknownNameError
from outboard.i18n import _
from outboard.types.hardware import Device, Link

FOLDER = DATA / "links"
NEWEST_PCIE = 5
SPELLINGS = (
    (re.compile(r"thunderbolt"), "tb"),
    (re.compile(r"pci[ -]?e(xpress)?|pci express"), "pcie"),
    (re.compile(r"\bgen\.?|gen(?=\d)"), ""),
    (re.compile(r"(\d)\.0\b"), r"\1"),
    (re.compile(r"gb(ps|/s|it/s)"), ""),
)


def link(name: str) -> Link:
    """Return the link called ``name``. Raises :class:`UnknownNameError` with the nearest names.

    >>> link("PCIe 4.0 x16").id, link("OCuLink").id
    ('pcie4-x16', 'oculink-pcie4-x4')
    """
    key = link_key(name)
    id = _index().get(key) or names().links.get(key) or _by_alias().get(key)
    if id is None:
        hint = _("'outboard links' lists them")
        raise UnknownNameError("link", name, nearest(name, [*_index().values(), *names().links]), hint)
    return load(id)


def links() -> tuple[Link, ...]:
    """Return every link, by id."""
    return tuple(load(id) for id in _index().values())


def usual_link(device: Device) -> Link:
    """Return the link that ``device`` has when nobody says otherwise: what its own connector allows.

    A module (SXM, OAM) hangs on its host by PCIe as well; joining modules with each other is :func:`interconnect`.
    """
    if device.id in device_index() and (named := load_device(device.id).usual_link):
        return load(named)
    if device.form == "integrated":
        return load("host-memory")
    if device.pcie_generation is None or device.pcie_lanes is None:
        return load("pcie3-x16")
    generation, lanes = int(device.pcie_generation.value), int(device.pcie_lanes.value)
    for older in range(min(generation, NEWEST_PCIE), 0, -1):
        if (id := f"pcie{older}-x{lanes}") in _index().values():
            return load(id)
    return load("pcie3-x16")


def interconnect(device: Device) -> Link | None:
    """Return the link that joins modules of this kind with each other, or None: through the host."""
    kind = architectures().get(device.architecture)
    if device.form != "module" or kind is None or not kind.interconnect:
        return None
    return load(kind.interconnect)


def link_key(text: str) -> str:
    """Return ``text`` without case, separators and long words.

    >>> link_key("PCI Express Gen4 x8"), link_key("Thunderbolt 3"), link_key("USB4 40Gbps")
    ('pcie4x8', 'tb3', 'usb440')
    """
    lower = text.lower()
    for pattern, short in SPELLINGS:
        lower = pattern.sub(short, lower)
    return squeeze(lower)


@cache
def load(id: str) -> Link:
    """Open the file of ``id``."""
    return read_link(FOLDER / f"{id}.toml")


def read_link(path: Path) -> Link:
    """Read one link file. Raises :class:`FileError` naming path and key for anything it should not hold."""
    table = Table(path)
    found = Link(
        id=path.stem,
        name=table.text("name"),
        kind=table.text("kind"),
        h2d=table.fact("h2d", "bytes/s"),
        d2h=table.fact("d2h", "bytes/s"),
        theoretical=table.optional_fact("theoretical", "bytes/s"),
        latency=table.fact("latency", "s"),
        tunnelled=table.flag("tunnelled"),
        hotplug=table.text("hotplug", ""),
        aliases=table.texts("aliases"),
        notes=table.texts("notes"),
    )
    table.close()
    return found


@cache
def _index() -> dict[str, str]:
    return {link_key(path.stem): path.stem for path in sorted(FOLDER.glob("*.toml"), key=lambda path: path.stem)}


@cache
def _by_alias() -> dict[str, str]:
    """Aliases stand in the files: all are opened, once, when a name is neither a file nor in ``names.toml``."""
    return {link_key(alias): known.id for known in links() for alias in known.aliases}
