"""Copies between host and device, pinned and pageable, and between devices, while the device computes."""

from typing import Any

from outboard.probe.measure.host import per_second
from outboard.probe.measure.timing import Timed, timed
from outboard.types.measured import Figure

SIZE = 2**28  # [B]
LOAD = 2048  # side of the product that keeps the device and its link awake


def host_copies(device: str, patience: float) -> list[Figure]:
    """``copy.h2d.pinned`` and the like [B/s], ``copy.h2d.latency`` [s]. Pinned memory exists on CUDA, ROCm and XPU."""
    import torch

    busy = torch.randn(LOAD, LOAD, device=device)
    there = torch.empty(SIZE, dtype=torch.uint8, device=device)
    found: list[Figure] = []
    for kind, pinned in (("pinned", True), ("pageable", False)):
        if pinned and device == "mps":
            continue
        here = torch.empty(SIZE, dtype=torch.uint8, pin_memory=pinned)
        for name, target, source in (("h2d", there, here), ("d2h", here, there)):
            took = timed(lambda t=target, s=source: _awake(busy, t, s), device, patience)
            found.append(per_second(f"copy.{name}.{kind}", SIZE, took, "B/s"))
    small, tiny = torch.zeros(1), torch.zeros(1, device=device)
    took = timed(lambda: tiny.copy_(small), device, patience)
    return [*found, Figure("copy.h2d.latency", took.seconds, took.low, took.high, "s", took.repetitions)]


def _awake(busy: Any, target: Any, source: Any) -> None:
    _product = busy[:64] @ busy  # so that the link does not fall asleep between copies
    target.copy_(source, non_blocking=True)


def peer_copies(device: str, patience: float) -> list[Figure]:
    """``copy.peer`` [B/s] from the first device to the second; nothing where there is one."""
    import torch

    kind = device.partition(":")[0]
    if kind == "mps" or getattr(torch, kind).device_count() < 2:
        return []
    source = torch.empty(SIZE, dtype=torch.uint8, device=f"{kind}:0")
    target = torch.empty(SIZE, dtype=torch.uint8, device=f"{kind}:1")

    def both() -> None:
        target.copy_(source)
        getattr(torch, kind).synchronize(1)

    took: Timed = timed(both, device, patience)
    return [per_second("copy.peer", SIZE, took, "B/s")]
