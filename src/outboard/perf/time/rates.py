"""Which arithmetic rate of a device applies to an operand type, and what happens where the type is missing."""

import math

from outboard.perf.time import coefficients
from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.power import sustained
from outboard.types.hardware import Device

# Architectures whose datacentre boards have GDDR memory with error correction always on, and lose bandwidth by it.
INLINE_ECC = ("pascal-gp10x", "turing")
HALF = ("fp16", "bf16")


def sustained_vector(device: Device, dtype: str) -> float:
    """:func:`vector_rate` at the clock that the board really runs, within its power limit [FLOP/s]."""
    return sustained(device, vector_rate(device, dtype) * clock_gain(device), dtype, matrix=False)


def sustained_matrix(device: Device, dtype: str, c: Coefficients | None = None) -> tuple[float, bool]:
    """:func:`matrix_rate` at the clock that the board really runs, within its power limit [FLOP/s]."""
    rate, matrix = matrix_rate(device, dtype)
    library = (c or coefficients.load()).amd_arithmetic if device.vendor == "amd" else 1.0
    return library * sustained(device, rate * clock_gain(device), dtype, matrix), matrix


def memory_bandwidth(device: Device, c: Coefficients | None = None) -> float:
    """Bandwidth that is left for data [B/s]: GDDR memory with error correction stores the check bits among the data."""
    inline = device.kind == "datacentre" and device.architecture in INLINE_ECC
    c = c or coefficients.load()
    left = c.memory_ecc if inline else 1.0
    library = c.amd_memory if device.vendor == "amd" else 1.0
    return device.memory_bandwidth.value * left * library


def clock_gain(device: Device) -> float:
    """Clock under load over the published boost clock [1]: GeForce boards run faster than their data sheet says."""
    return coefficients.load().geforce_clock if device.kind == "geforce" else 1.0


def vector_rate(device: Device, dtype: str) -> float:
    """Rate of the ordinary units for ``dtype`` [FLOP/s]. Integers run at the fp32 rate; NaN where nothing is known."""
    if dtype == "fp64":
        fact = device.vector.get("fp64")
        return fact.value if fact else math.nan
    single = device.vector.get("fp32")
    if single is None:
        return math.nan
    half = device.vector.get(dtype) if dtype in HALF else None
    # Elementwise half arithmetic is done in fp32 registers by the frameworks, so a slow half rate does not bind.
    return max(half.value, single.value) if half else single.value


def matrix_rate(device: Device, dtype: str) -> tuple[float, bool]:
    """Rate of matrix products for operands of ``dtype`` [FLOP/s], and whether matrix units provide it.

    Fallbacks, as the libraries do them: tf32 without tf32 units is fp32; fp8 without fp8 units is fp16; fp16 and bf16
    without matrix units run at their vector rate, or where the device has none of use at the rate of fp32 with
    conversions.
    """
    if dtype in device.matmul:
        return device.matmul[dtype].value, True
    if dtype == "tf32":
        return matrix_rate(device, "fp32")
    if dtype == "fp8":
        return matrix_rate(device, "fp16")
    rate = vector_rate(device, dtype)
    if dtype in HALF and not _has_half(device, dtype):
        rate *= coefficients.load().half_emulation
    return rate, False


def _has_half(device: Device, dtype: str) -> bool:
    """Whether a vector rate of half precision exists and is no slower than fp32."""
    half, single = device.vector.get(dtype), device.vector.get("fp32")
    return half is not None and single is not None and half.value >= single.value
