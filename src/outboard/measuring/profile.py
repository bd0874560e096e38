"""Measuring this machine: every figure is checked and saved as it comes."""

import importlib.metadata
import platform
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from outboard import clock
from outboard.measuring.machine import Machine, this
from outboard.probe.measure import Step, steps
from outboard.probe.measure.limits import fault
from outboard.store import Store
from outboard.types.measured import Figure

# Nobody's processor does more than this for each core, caches and turbo included [B/s].
CACHE_BANDWIDTH = 400e9
TURBO = 2.0  # a clock under turbo over the one that the system names
ORDER = ("cuda", "xpu", "mps")


def gpu() -> str:
    """The kind of GPU that torch can use here ("cuda" also names ROCm's), or nothing. Imports torch."""
    import torch

    for name in ORDER:
        module = torch.backends.mps if name == "mps" else getattr(torch, name, None)
        if module is not None and module.is_available():
            return name
    return ""


def plan(device: str, quick: bool) -> list[Step]:
    """What will be measured: the processor always, and the GPU where there is one."""
    listed = steps("cpu", quick)
    return listed if device in ("", "cpu") else [*steps(device, quick), *listed]


def measure(
    listed: list[Step], store: Store, done: Callable[[Step, list[Figure]], None], doubted: Callable[[str], None]
) -> list[Figure]:
    """Run the steps. Each figure is in the store before the next step begins; what cannot be is told and left out."""
    machine = this()
    stamp = {"date": clock.today().isoformat(), "versions": versions()}
    kept: list[Figure] = []
    for step in listed:
        good: list[Figure] = []
        for found in step.run():
            figure = replace(found, device=step.device, **stamp)
            if why := fault(figure, ceilings(machine, step.device)):
                doubted(why)
                continue
            store.save_figure(machine.key, machine.name, figure)
            good.append(figure)
        kept += good
        done(step, good)
    return kept


def ceilings(machine: Machine, device: str) -> dict[str, float]:
    """Greatest believable figures by the beginning of their names, for the processor; links have their own theory."""
    if device != "cpu":
        return {}
    return {
        "matmul.fp": TURBO * machine.peak * 2,  # half precision may be twice as fast
        "matmul.bf16": TURBO * machine.peak * 4,  # units for products of bf16
        "matmul.flops": TURBO * machine.peak,
        "conv.flops": 4 * TURBO * machine.peak,  # transforms spare up to three quarters of the products
        "memory.bandwidth": machine.cores * CACHE_BANDWIDTH,
    }


def versions() -> dict[str, str]:
    """What the figures depend on beside the machine."""
    found = {"python": platform.python_version()}
    for name in ("torch", "outboard"):
        with suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found
