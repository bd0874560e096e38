"""Which arithmetic rate of a device applies to an operand type, and what happens where the type is missing."""

import math

from outboard.perf.time import coefficients
from outboard.perf.time.power import sustained
from outboard.types.hardware import Device

# Architectures whose datacentre boards have GDDR memory with error correction always on, and lose bandwidth by it.
INLINE_ECC = ("pascal-gp10x", "turing")
HALF = ("fp16", "bf16")


def sustained_vector(device: Device, dtype: str) -> float:
    """:func:`vector_rate` at the clock that the board really runs, within its power limit [FLOP/s]."""
    return sustained(device, vector_rate(device, dtype) * clock_gain(device), dtype, matrix=False)


def sustained_matrix(device: Device, dtype: str) -> tuple[float, bool]:
    """:func:`matrix_rate` at the clock that the board really runs, within its power limit [FLOP/s]."""
    rate, matrix = matrix_rate(device, dtype)
    return sustained(device, rate * clock_gain(device), dtype, matrix), matrix


def memory_bandwidth(device: Device) -> float:
    """Bandwidth that is left for data [B/s]: GDDR memory with error correction stores the check bits among the data."""
    inline = device.kind == "datacentre" and device.architecture in INLINE_ECC
    return device.memory_bandwidth.value * (coefficients.load().memory_ecc if inline else 1.0)


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

    Fallbacks, as the libraries do them: tf32 without tf32 units is fp32; fp16 without matrix units is stored in half
    and multiplied at the better of the fp16 and fp32 vector rates; bf16 on a device without it is emulated through
    fp32 with conversions, slower than fp32 itself.
    """
    if dtype in device.matmul:
        # Matrix units that are slower than the vector units (fp32 "tensor" entries of some tables) are not used.
        fact = device.matmul[dtype].value
        return max(fact, vector_rate(device, dtype) if dtype == "fp64" else fact), True
    if dtype == "tf32":
        return matrix_rate(device, "fp32")
    if dtype == "bf16" and "bf16" not in device.vector:
        return vector_rate(device, "fp32") * coefficients.load().bf16_emulation, False
    if dtype == "fp8":
        return matrix_rate(device, "fp16")
    return vector_rate(device, dtype), False
