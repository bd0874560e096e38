"""Filters and orders devices, for browsing."""

from collections.abc import Callable, Iterable

from outboard.catalog.device_files import devices
from outboard.catalog.names import nearest
from outboard.errors import UnknownNameError
from outboard.types.evidence import Fact
from outboard.types.hardware import Device
from outboard.units import parse


def select(
    among: Iterable[Device] | None = None,
    *,
    min_vram: float | str | None = None,
    vendor: str | None = None,
    kind: str | None = None,
    precision: str | None = None,
    max_length: float | str | None = None,
    sort: str = "name",
) -> list[Device]:
    """Return the devices that pass every filter given, in order.

    min_vram: least memory, bytes or text such as "16 GB" [B]. max_length: longest card, metres or text [m].
    vendor, kind: as in :class:`~outboard.types.hardware.Device`. precision: a type with matrix units, e.g. "bf16".
    sort: a key of :data:`ORDER`; numbers descend, a device without the number comes last.
    Raises :class:`UnknownNameError` for another key, :class:`UnitError` for a text that is no quantity.

    >>> [device.id for device in select(min_vram="80 GB", vendor="nvidia", sort="bandwidth")][:2]
    ['b200-sxm', 'b300-sxm']
    """
    if sort not in ORDER:
        raise UnknownNameError("order", sort, nearest(sort, ORDER) or list(ORDER))
    least = None if min_vram is None else parse(min_vram, "bytes")
    longest = None if max_length is None else parse(max_length, "m")
    tests: list[Callable[[Device], bool]] = [
        lambda device: least is None or device.memory.value >= least,
        lambda device: vendor is None or device.vendor == vendor.lower(),
        lambda device: kind is None or device.kind == kind.lower(),
        lambda device: precision is None or precision in device.matmul,
        lambda device: longest is None or (device.length is not None and device.length.value <= longest),
    ]
    kept = [device for device in (devices() if among is None else among) if all(test(device) for test in tests)]
    return sorted(kept, key=ORDER[sort])


def fp16_rate(device: Device) -> float:
    """Return the best fp16 rate with fp32 accumulation: of the matrix units, else of the vector units [FLOP/s]."""
    fact = device.matmul.get("fp16") or device.vector.get("fp16") or device.vector["fp32"]
    return fact.value


def _down(fact: Fact | None) -> float:
    return float("inf") if fact is None else -fact.value


ORDER: dict[str, Callable[[Device], tuple[float | str, str]]] = {
    "name": lambda device: (device.id, ""),
    "memory": lambda device: (_down(device.memory), device.id),
    "bandwidth": lambda device: (_down(device.memory_bandwidth), device.id),
    "fp16": lambda device: (-fp16_rate(device), device.id),
    "power": lambda device: (_down(device.tdp), device.id),
    "price": lambda device: (_down(device.launch_price), device.id),
    "released": lambda device: (device.released, device.id),
}
