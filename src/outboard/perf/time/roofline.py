"""Ceilings and how they combine: the vocabulary that all operator classes share."""

import numpy as np

from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.places import DeviceArrays
from outboard.types.trace import DTYPES, FloatArray

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


def smooth_max(*seconds: FloatArray) -> FloatArray:
    """The 2-norm of several times [s]: the greatest where one dominates, 41 % above two that are equal.

    Arithmetic and memory traffic of one kernel overlap, but never perfectly: while the first tiles load and the last
    ones drain only one of them is busy, so a kernel at the ridge of the roofline reaches neither ceiling. With this
    norm the efficiencies that fit best are close to one, so little is left for them to explain.

    >>> [float(smooth_max(np.array(3.0), np.array(other)).round(3)) for other in (0.1, 3.0)]
    [3.002, 4.243]
    """
    total = np.square(seconds[0])
    for part in seconds[1:]:
        total += np.square(part)
    return np.sqrt(total)


def l2_bandwidth(devices: DeviceArrays, c: Coefficients) -> FloatArray:
    """Achieved rate of the last-level cache, shape (D,) [B/s]; never below the memory's own."""
    return np.maximum(devices.units * devices.clock * c.l2_bytes_per_cycle, devices.bandwidth)


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
