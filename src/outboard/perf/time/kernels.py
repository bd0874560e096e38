"""Seconds of operators on devices: each class by its own formula, summed over a step by phase."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from outboard.perf.time.classes import ATTENTION, DEPTHWISE, attention_seconds, depthwise_seconds
from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.columns import Columns
from outboard.perf.time.gemm import conversion_seconds, gemm_kinds, gemm_seconds
from outboard.perf.time.places import DeviceArrays
from outboard.perf.time.roofline import smooth_max
from outboard.perf.time.streams import stream_seconds
from outboard.types.trace import FloatArray, IntArray

Formula = Callable[[Columns, DeviceArrays, Coefficients], tuple[FloatArray, FloatArray]]

FORMULAS: tuple[tuple[IntArray, Formula], ...] = (
    (gemm_kinds(), gemm_seconds),
    (ATTENTION, attention_seconds),
    (DEPTHWISE, depthwise_seconds),
)
# Elements of one (devices, rows, batches) block: small enough that the temporaries stay in the processor's cache.
BLOCK = 16_384


@dataclass(frozen=True)
class Class:
    """The rows of a step that one formula computes; no formula for those that only move memory."""

    rows: IntArray
    cols: Columns
    formula: Formula | None

    def seconds(self, devices: DeviceArrays, c: Coefficients) -> tuple[FloatArray, FloatArray | None]:
        """Seconds of one operator of each row, without launch, shape (D, R', B), and the same where arithmetic
        dominates,
        0 elsewhere (None: nowhere).
        """
        if self.formula is None:
            return stream_seconds(self.cols, devices, c), None
        arithmetic, memory = self.formula(self.cols, devices, c)
        seconds = smooth_max(arithmetic, memory, c.ceiling_norm)
        compute = np.where(arithmetic >= memory, seconds, 0.0)
        conversion = conversion_seconds(self.cols, devices, c)
        return seconds if conversion is None else seconds + conversion, compute


def classes(cols: Columns) -> list[Class]:
    """Sort the rows of a step by formula."""
    found: list[Class] = []
    rest = np.ones(len(cols), dtype=np.bool_)
    for kinds, formula in FORMULAS:
        chosen = np.isin(cols.kind, kinds)
        if chosen.any():
            rest &= ~chosen
            found.append(Class(np.flatnonzero(chosen), cols.take(chosen), formula))
    if rest.any():
        found.append(Class(np.flatnonzero(rest), cols.take(rest), None))
    return found


def grouped_seconds(
    cols: Columns, weights: FloatArray, devices: DeviceArrays, c: Coefficients
) -> tuple[FloatArray, FloatArray]:
    """Compute-bound and memory-bound seconds of groups of rows, shape (D, G, B) each [s].

    ``weights`` (G, R) says how often each row counts in each group: its ``count`` where it belongs there, else 0.
    """
    batches = cols.flops.shape[1]
    compute = np.zeros((len(devices), len(weights), batches))
    total = np.zeros_like(compute)
    for part in classes(cols):
        share = weights[:, part.rows]
        step = max(1, BLOCK // max(1, len(part.rows) * batches))
        for start in range(0, len(devices), step):
            chosen = slice(start, start + step)
            seconds, bound = part.seconds(devices.take(chosen), c)
            total[chosen] += share @ seconds
            if bound is not None:
                compute[chosen] += share @ bound
    return compute, total - compute
