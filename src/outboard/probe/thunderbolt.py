"""Thunderbolt and USB4 on Linux, from sysfs: security, authorisation, and what the cable carries."""

import re
from dataclasses import dataclass
from typing import Any

from outboard.probe.source import Source

ROOT = "/sys/bus/thunderbolt/devices"
DEVICE = re.compile(r"^\d+-[0-9a-f]*[1-9a-f][0-9a-f]*$")  # a box; N-0 is the computer itself
USB4 = 4  # generation of USB4, Thunderbolt 4 and 5 alike
FAST = 80e9  # Thunderbolt 5 and USB4 v2 [bit/s]
FULL = 40e9
LINKS_3 = {True: "tb3", False: "tb3-x2"}


@dataclass(frozen=True, slots=True)
class Box:
    """A device on the chain. ``rate`` is lanes x rate of a lane [bit/s]."""

    name: str
    authorized: bool | None
    generation: int | None
    rate: float | None


@dataclass(frozen=True, slots=True)
class Chain:
    """All domains together: whether there is a controller, what is plugged in, and facts for the rules."""

    present: bool
    boxes: tuple[Box, ...]
    facts: dict[str, Any]

    def link(self, intel: bool) -> str:
        """The link of the catalogue that the first box hangs on; empty where that cannot be told."""
        box = next(iter(self.boxes), None)
        if box is None or box.generation is None:
            return ""
        if box.generation < USB4:
            return {1: "tb1", 2: "tb2"}.get(box.generation, LINKS_3[box.rate is None or box.rate >= FULL])
        if box.rate is not None and box.rate >= FAST:
            return "tb5" if intel else "usb4v2-80"
        return "tb4" if intel else "usb4-40"


def read(source: Source) -> Chain:
    """Look at all domains."""
    names = source.names(ROOT)
    domains = [name for name in names if name.startswith("domain")]
    boxes = tuple(_box(source, name) for name in names if DEVICE.match(name))
    facts: dict[str, Any] = {}
    security = [source.text(f"{ROOT}/{name}/security") for name in domains]
    if known := [one for one in security if one]:
        facts["tb_security"] = known[0]
    guarded = [source.text(f"{ROOT}/{name}/iommu_dma_protection") for name in domains]
    if any(guarded):
        facts["iommu_dma_protection"] = "0" not in guarded
    told = [box.authorized for box in boxes if box.authorized is not None]
    if told:
        facts["tb_authorized"] = all(told)
    if boxes and boxes[0].rate is not None:
        facts["tunnel_rate"] = boxes[0].rate
    if len(boxes) > 1:
        facts["chain_shared"] = True
    return Chain(bool(domains), boxes, facts)


def _box(source: Source, name: str) -> Box:
    here = f"{ROOT}/{name}"
    authorized = source.text(f"{here}/authorized")
    generation = source.text(f"{here}/generation")
    words = (source.text(f"{here}/vendor_name"), source.text(f"{here}/device_name"))
    return Box(
        name=" ".join(word for word in words if word) or name,
        authorized=None if not authorized else authorized != "0",
        generation=int(generation) if generation.isdecimal() else None,
        rate=_rate(source.text(f"{here}/rx_speed"), source.text(f"{here}/rx_lanes")),
    )


def _rate(speed: str, lanes: str) -> float | None:
    """Lanes x rate of a lane.

    >>> _rate("20.0 Gb/s", "2"), _rate("", "2")
    (40000000000.0, None)
    """
    match = re.match(r"([\d.]+) Gb/s", speed)
    return float(match[1]) * 1e9 * int(lanes) if match and lanes.isdecimal() else None
