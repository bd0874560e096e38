"""Timing a call on a device: repetitions, their mean and their spread."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

WARM = 2
LEAST, MOST = 5, 200  # repetitions


@dataclass(frozen=True)
class Timed:
    """Seconds of one call: mean and quartiles of ``repetitions``."""

    seconds: float
    low: float
    high: float
    repetitions: int


def synchronise(device: str) -> None:
    """Wait until the device has done what it was given; the CPU always has."""
    import torch

    kind = device.partition(":")[0]
    if kind != "cpu":
        getattr(torch, kind).synchronize()


def timed(call: Callable[[], Any], device: str = "cpu", patience: float = 0.25, least: int = LEAST) -> Timed:
    """Call until ``patience`` [s] is over and at least ``least`` times, each call by itself."""
    for _repetition in range(WARM):
        call()
    taken: list[float] = []
    synchronise(device)
    until = time.perf_counter() + patience
    while len(taken) < least or (time.perf_counter() < until and len(taken) < MOST):
        start = time.perf_counter()
        call()
        synchronise(device)
        taken.append(time.perf_counter() - start)
    return summary(taken)


def summary(taken: list[float]) -> Timed:
    """Mean and quartiles. The times of a step's operators add up, and so do means; medians leave out what others on the
    machine take now and then, which a long step meets always.

    >>> summary([3.0, 1.0, 2.0])
    Timed(seconds=2.0, low=1.5, high=2.5, repetitions=3)
    """
    mean = statistics.fmean(taken)
    low, _middle, high = statistics.quantiles(taken, n=4, method="inclusive") if len(taken) > 1 else [mean] * 3
    return Timed(mean, min(low, mean), max(high, mean), len(taken))
