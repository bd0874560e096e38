"""Ceilings and how they combine: the vocabulary that all operator classes share."""

import numpy as np

from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.places import DeviceArrays
from outboard.types.trace import DTYPES, FloatArray

TINY = 1e-30  # keeps a quotient of two times of nothing from being undefined [s]
# Bytes of one operand of each type; only the ratio to arithmetic matters, so complex counts as two floats [B].
ITEMSIZE = np.array(
    [
        {"fp64": 8, "fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "fp8": 1, "int64": 8, "int32": 4, "int16": 2}.get(
            name, 1
        )
        for name in DTYPES
    ],
    dtype=np.float64,
)


def smooth_max(first: FloatArray, second: FloatArray, norm: float = 2.0) -> FloatArray:
    """A norm of two times [s]: the greater where it dominates; with the 2-norm 41 % above two that are equal.

    Arithmetic and memory traffic of one kernel overlap, but never perfectly: while the first tiles load and the last
    ones drain only one of them is busy, so a kernel at the ridge of the roofline reaches neither ceiling. With this
    norm the efficiencies that fit best are close to one, so little is left for them to explain.

    >>> [float(smooth_max(np.array(3.0), np.array(other)).round(3)) for other in (0.1, 3.0)]
    [3.002, 4.243]
    """
    if norm == 2.0:
        return np.sqrt(np.square(first) + np.square(second))
    most, least = np.maximum(first, second), np.minimum(first, second)
    return most * (1.0 + (least / np.maximum(most, TINY)) ** norm) ** (1.0 / norm)


def l2_bandwidth(devices: DeviceArrays, c: Coefficients) -> FloatArray:
    """Achieved rate of the last-level cache, shape (D,) [B/s]; never below the memory's own."""
    return np.maximum(devices.units * devices.clock * devices.crossbar * c.l2_bytes_per_cycle, devices.bandwidth)


def memory_seconds(
    size: FloatArray, efficiency: float | FloatArray, devices: DeviceArrays, c: Coefficients
) -> FloatArray:
    """Time to move ``size`` bytes (R, B) through each device's memory, shape (D, R, B) [s].

    A share L/(L + size) of it is found in the last-level cache, L being the part of the cache that still holds what the
    operators before wrote; that share moves at the cache's rate.
    """
    resident = (devices.l2 * c.l2_residency)[:, None, None]
    memory = 1.0 / devices.bandwidth[:, None, None]
    cache = 1.0 / l2_bandwidth(devices, c)[:, None, None]
    missed = size / (resident + size)
    return size / efficiency * (cache + (memory - cache) * missed)


def vector_seconds(
    flops: FloatArray, efficiency: float | FloatArray, devices: DeviceArrays, dtype: FloatArray
) -> FloatArray:
    """Time of ``flops`` (R, B) on the ordinary units, shape (D, R, B) [s]; ``dtype`` (R,) indexes the rates."""
    return flops / (devices.vector[:, dtype.astype(np.int64), None] * efficiency)
