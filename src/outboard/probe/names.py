"""Which device of the catalogue a GPU of the bus is."""

import json
import re
from typing import Any, cast

from outboard.probe.pci import Gpu
from outboard.probe.source import Source
from outboard.types.hardware import Device

BRACKETS = re.compile(r"\[([^\[\]]+)\](?= \[[0-9a-f]{4}:[0-9a-f]{4}\])")
CLOSE = 0.15  # a card shows less memory than it has, within this


def said(source: Source, gpu: Gpu) -> tuple[str, dict[str, Any]]:
    """Return the name that the driver or the tables of PCI give a GPU, and what else the driver says of it."""
    for entry in _driver(source):
        if _same(entry.get("address", ""), gpu.address):
            return entry.get("name", ""), entry
    for line in source.output("lspci").splitlines():
        if line.startswith(gpu.address):
            match = BRACKETS.search(line)
            return (match[1] if match else line.split(": ", 1)[-1]), {}
    return "", {}


def device(name: str, memory: float | None) -> Device | None:
    """Return the device of the catalogue; None where the name fits none, or several of the same memory."""
    from outboard import catalog
    from outboard.errors import UnknownNameError

    found: dict[str, Device] = {}
    for one in _spellings(name):
        try:
            known = catalog.device(one)
        except UnknownNameError:
            continue
        if memory is None or abs(known.memory.value - memory) <= CLOSE * known.memory.value:
            found[known.id] = known
    return next(iter(found.values())) if len(found) == 1 else None


def _spellings(name: str) -> list[str]:
    """A table of PCI names several cards at once.

    >>> _spellings("Radeon RX 7900 XT/7900 XTX")
    ['Radeon RX 7900 XT', 'Radeon RX 7900 XTX']
    """
    first, *others = name.split("/")
    series = re.match(r"\D*", first)
    stem = series[0] if series else ""
    return [part for part in (first, *(one if one.startswith(stem) else stem + one for one in others)) if part.strip()]


def _driver(source: Source) -> list[dict[str, Any]]:
    """What NVIDIA's driver says: through its library, else its tool, else its files."""
    if told := _library(source.output("nvml")):
        return told
    if text := source.output("nvidia-smi"):
        rows = [[cell.strip() for cell in line.split(",")] for line in text.splitlines() if line.count(",") == 3]
        return [
            {"address": row[0], "name": row[1], "driver": row[2], "persistence": row[3] == "Enabled"} for row in rows
        ]
    root = "/proc/driver/nvidia/gpus"
    texts = {address: source.text(f"{root}/{address}/information") for address in source.names(root)}
    models = {address: re.search(r"Model:\s*(.+)", text) for address, text in texts.items()}
    return [{"address": address, "name": match[1]} for address, match in models.items() if match]


def _library(text: str) -> list[dict[str, Any]]:
    """What the library wrote; nothing where somebody has broken the recording."""
    try:
        rows: list[Any] = [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return []
    told = [cast("dict[str, Any]", row) for row in rows if isinstance(row, dict)]
    return [row for row in told if isinstance(row.get("address"), str)]


def _same(one: str, other: str) -> bool:
    """Whether two addresses are one: NVIDIA writes the domain with eight digits, and in capitals."""
    return bool(one) and one.lower().lstrip("0") == other.lower().lstrip("0")
