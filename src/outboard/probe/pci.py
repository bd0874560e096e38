"""GPUs on the PCIe bus of Linux, from sysfs: each with its driver, its link and the size of its memory window."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from outboard.probe.source import Source

ROOT = "/sys/bus/pci/devices"
VENDORS = {"0x10de": "nvidia", "0x1002": "amd", "0x8086": "intel"}
DISPLAYS = ("0x0300", "0x0302", "0x0380")
ADDRESS = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
SPAN = re.compile(r"0x([0-9a-f]+) 0x([0-9a-f]+)\b")
GENERATIONS = {"2.5": 1, "5.0": 2, "8.0": 3, "16.0": 4, "32.0": 5, "64.0": 6}
LOST = 255  # width that a card reads which no longer answers
SMALL_WINDOW = 256 * 2**20  # what a card has without Resizable BAR [B]
WINDOW = {"nvidia": 1, "amd": 0, "intel": 2}  # which BAR is the window to the card's memory
# Bridges inside boxes and the ports that tunnels start from.
INTEL = "5786 0b26 1576 1578 15d3 15da 15e7 15ea 15ef 7ec4 7ec5 7ec6 7ec7 9a23 9a25".split()
TUNNELS = frozenset(f"0x8086:0x{device}" for device in INTEL) | {"0x1022:0x14cd", "0x1b21:0x2461", "0x1b21:0x2463"}


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU as the bus shows it. ``generation`` and ``lanes`` are what card and slot can do together."""

    address: str
    vendor: str
    device_id: str
    driver: str
    tunnelled: bool
    generation: int | None
    lanes: int | None
    current: str  # what the link runs at now, which at rest says little
    rebar: bool | None
    memory: float | None  # [B], where the driver tells
    lost: bool


def read(source: Source) -> tuple[Gpu, ...]:
    """Look at every GPU; virtual ones of emulators are left out."""
    found = [_gpu(source, address) for address in source.names(ROOT)]
    return tuple(gpu for gpu in found if gpu is not None)


def _gpu(source: Source, address: str) -> Gpu | None:
    here = f"{ROOT}/{address}"
    if not source.text(f"{here}/class").startswith(DISPLAYS):
        return None
    vendor = VENDORS.get(source.text(f"{here}/vendor"))
    if vendor is None:
        return None
    above = _above(source, here, address)
    tunnelled = any(_is_tunnel(source, port) for port in above)
    ends = _ends(source, here, above, vendor)
    width = source.text(f"{here}/max_link_width")
    speed, lanes = source.text(f"{here}/current_link_speed"), source.text(f"{here}/current_link_width")
    return Gpu(
        address=address,
        vendor=vendor,
        device_id=source.text(f"{here}/device"),
        driver=source.target(f"{here}/driver").rpartition("/")[2],
        tunnelled=tunnelled,
        generation=_least(GENERATIONS.get(source.text(f"{end}/max_link_speed").split(" ")[0]) for end in ends),
        lanes=_least(_lanes(source.text(f"{end}/max_link_width")) for end in ends),
        current=f"{speed} x{lanes}" if speed and lanes else "",
        rebar=_rebar(source.text(f"{here}/resource"), WINDOW[vendor]),
        memory=float(vram) if (vram := source.text(f"{here}/mem_info_vram_total")).isdecimal() else None,
        lost=width == str(LOST),
    )


def _above(source: Source, here: str, address: str) -> list[str]:
    """The ports between the root and the card, the root's first."""
    return [port for port in ADDRESS.findall(source.target(here)) if port != address]


def _ends(source: Source, here: str, above: list[str], vendor: str) -> list[str]:
    """The two ends of the link that matters: the card and the port above it.

    A Radeon carries a switch of its own: its end is the upstream port of that switch, not the GPU.
    """
    own = [port for port in above if vendor == "amd" and source.text(f"{ROOT}/{port}/vendor") == "0x1002"]
    outside = [port for port in above if port not in own]
    card = f"{ROOT}/{own[0]}" if own else here
    return [card, *(f"{ROOT}/{port}" for port in outside[-1:])]


def _is_tunnel(source: Source, port: str) -> bool:
    here = f"{ROOT}/{port}"
    return f"{source.text(f'{here}/vendor')}:{source.text(f'{here}/device')}" in TUNNELS


def _lanes(text: str) -> int | None:
    return int(text) if text.isdecimal() and 0 < int(text) < LOST else None


def _least(values: Iterable[int | None]) -> int | None:
    return min((value for value in values if value is not None), default=None)


def _rebar(resource: str, bar: int) -> bool | None:
    """Whether the window is larger than the 256 MiB that every card has.

    >>> _rebar("0x0 0x3ffffff 0x40200\\n0x4000000000 0x47ffffffff 0x14220c", 1)
    True
    """
    lines = resource.splitlines()
    match = SPAN.match(lines[bar]) if len(lines) > bar else None
    if match is None:
        return None
    start, end = int(match[1], 16), int(match[2], 16)
    size = end - start + 1
    return None if end == 0 or size < SMALL_WINDOW else size > SMALL_WINDOW
