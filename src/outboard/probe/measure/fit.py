"""From the times of a few shapes to two rates: seconds = start + FLOP / rate + bytes / bandwidth."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from outboard.probe.measure.timing import Timed
from outboard.types.measured import Figure


@dataclass(frozen=True)
class Shape:
    """One shape of an operator: its work, and how long it took."""

    flops: float
    size: float  # bytes read and written [B]
    took: Timed


def rates(name: str, shapes: Sequence[Shape], start: float) -> list[Figure]:
    """The figures ``NAME.flops`` [FLOP/s] and ``NAME.bytes`` [B/s] that leave the least relative error.

    ``start`` is the time of an operator without work [s]. A rate that no shape is bound by is left out. The spread is
    that of the repetitions.
    """
    seconds = np.array([shape.took.seconds for shape in shapes])
    work = np.array([[shape.flops, shape.size] for shape in shapes]) / seconds[:, None]
    scale = np.maximum(work.max(axis=0), 1e-30)
    weights, _rest = nnls(work / scale, np.maximum(1.0 - start / seconds, 0.0))
    below = float(np.median([shape.took.low / shape.took.seconds for shape in shapes]))
    above = float(np.median([shape.took.high / shape.took.seconds for shape in shapes]))
    count = min(shape.took.repetitions for shape in shapes)
    found: list[Figure] = []
    for kind, unit, weight in zip(("flops", "bytes"), ("FLOP/s", "B/s"), weights / scale, strict=True):
        if weight > 0:
            rate = float(1.0 / weight)
            found.append(Figure(f"{name}.{kind}", rate, rate / above, rate / below, unit, count))
    return found
