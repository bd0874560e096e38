"""Seconds of operators on devices: each class by its own formula, summed over a step by phase."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from outboard.perf.time.classes import ATTENTION, DEPTHWISE, attention_seconds, depthwise_seconds, stream_seconds
from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.columns import Columns
from outboard.perf.time.gemm import gemm_kinds, gemm_seconds
from outboard.perf.time.places import DeviceArrays
from outboard.perf.time.roofline import smooth_max
from outboard.types.trace import FloatArray, IntArray

Formula = Callable[[Columns, DeviceArrays, Coefficients], tuple[FloatArray, FloatArray]]

FORMULAS: tuple[tuple[IntArray, Formula], ...] = (
    (gemm_kinds(), gemm_seconds),
    (ATTENTION, attention_seconds),
    (DEPTHWISE, depthwise_seconds),
)
# Elements of one (devices, rows, batches) block: small enough that the temporaries stay in the processor's cache.
BLOCK = 65_536


@dataclass(frozen=True)
class Part:
    """Rows of one formula: which rows, their seconds (D, R', B), and where arithmetic dominates (None: nowhere)."""

    rows: IntArray
    seconds: FloatArray
    compute: FloatArray | None


def parts(cols: Columns, devices: DeviceArrays, c: Coefficients) -> Iterator[Part]:
    """Seconds of one operator of each row, without launch, class by class."""
    rest = np.ones(len(cols), dtype=np.bool_)
    for kinds, formula in FORMULAS:
        chosen = np.isin(cols.kind, kinds)
        if chosen.any():
            rest &= ~chosen
            arithmetic, memory = formula(cols.take(chosen), devices, c)
            seconds = smooth_max(arithmetic, memory)
            yield Part(np.flatnonzero(chosen), seconds, np.where(arithmetic >= memory, seconds, 0.0))
    if rest.any():
        yield Part(np.flatnonzero(rest), stream_seconds(cols.take(rest), devices, c), None)


def grouped_seconds(
    cols: Columns, weights: FloatArray, devices: DeviceArrays, c: Coefficients
) -> tuple[FloatArray, FloatArray]:
    """Compute-bound and memory-bound seconds of groups of rows, shape (D, G, B) each [s].

    ``weights`` (G, R) says how often each row counts in each group: its ``count`` where it belongs to the group, else
    0.
    """
    batches = cols.flops.shape[1]
    compute = np.zeros((len(devices), len(weights), batches))
    total = np.zeros_like(compute)
    step = max(1, BLOCK // max(1, len(cols) * batches))
    for start in range(0, len(devices), step):
        chosen = slice(start, start + step)
        for part in parts(cols, devices.take(chosen), c):
            share = weights[:, part.rows]
            total[chosen] += share @ part.seconds
            if part.compute is not None:
                compute[chosen] += share @ part.compute
    return compute, total - compute
