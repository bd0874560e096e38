"""Reads and checks the tables of devices, links, hosts and enclosures.

Everything is looked up by name and nothing is read before it is asked for: ``device("rtx-3090")`` opens one file.

>>> from outboard.catalog import link, place
>>> place("NVIDIA GeForce RTX 4090 x2 @ PCIe4 x8").name
'rtx-4090x2@pcie4-x8'
>>> link("Thunderbolt 3").id
'tb3'
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outboard.catalog.device_files import device, devices
    from outboard.catalog.host_files import enclosure, enclosures, host, hosts
    from outboard.catalog.link_files import interconnect, link, links, usual_link
    from outboard.catalog.places import place
    from outboard.catalog.selection import select

__all__ = [
    "device",
    "devices",
    "enclosure",
    "enclosures",
    "host",
    "hosts",
    "interconnect",
    "link",
    "links",
    "place",
    "select",
    "usual_link",
]

_HOME = {
    "device": "device_files",
    "devices": "device_files",
    "enclosure": "host_files",
    "enclosures": "host_files",
    "host": "host_files",
    "hosts": "host_files",
    "interconnect": "link_files",
    "link": "link_files",
    "links": "link_files",
    "place": "places",
    "select": "selection",
    "usual_link": "link_files",
}


def __getattr__(name: str) -> object:
    """Import the module that holds ``name`` at its first use (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found
    return found
