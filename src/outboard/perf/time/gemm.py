"""Matrix products and the convolutions that are matrix products in disguise.

Three ceilings: arithmetic on the matrix or ordinary units, with the work padded to tiles and the last wave of tiles
not full; traffic between the last-level cache and the multiprocessors, which narrow tiles multiply; traffic to memory.
"""

import numpy as np

from outboard.perf.time import winograd
from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.columns import DTYPE, KIND, Columns
from outboard.perf.time.places import DeviceArrays
from outboard.perf.time.roofline import ITEMSIZE, l2_bandwidth, memory_seconds, smooth_max
from outboard.perf.time.tiles import GRAIN, arithmetic_seconds, pad, tiling, wasted
from outboard.types.trace import FloatArray, IntArray


def gemm_seconds(rows: Columns, devices: DeviceArrays, c: Coefficients) -> tuple[FloatArray, FloatArray]:
    """On-chip time and memory time of each product on each device, shape (D, R, B) each [s]."""
    cut = tiling(rows, c)
    tensor = devices.tensor[:, rows.dtype]
    rate = devices.matrix[:, rows.dtype] * _efficiency(rows, tensor, c)
    # Without a kernel for the matrix units each group passes through a general one on the ordinary units.
    general = devices.vector[:, rows.dtype] * c.grouped_fallback * _filled(rows, c)
    rate = np.where(rows.missing > 0, general, rate)
    arithmetic = arithmetic_seconds(cut, rate[:, :, None], devices, c, wasted(rows, tensor, devices))
    loaded = 0.5 * cut.work * cut.side_sum * ITEMSIZE[rows.dtype][:, None]
    cache = loaded / l2_bandwidth(devices, c)[:, None, None]
    memory = memory_seconds(rows.read + rows.written, c.memory_matmul, devices, c)
    on_chip = smooth_max(arithmetic, cache, c.ceiling_norm)
    return winograd.shorter(rows, (on_chip, memory), rate * (tensor == 0), devices, c)


def conversion_seconds(rows: Columns, devices: DeviceArrays, c: Coefficients) -> FloatArray | None:
    """Time to bring the images of convolutions on matrix units into channels-last order and back, (D, R, B) [s].

    Kernels of their own, so nothing hides them; None where no row needs them.
    """
    if not rows.converted.any():
        return None
    often = c.nchw_conversion * devices.tensor[:, rows.dtype] * rows.converted
    moved = 2.0 * (rows.read + rows.written)
    return often[:, :, None] * memory_seconds(moved, c.memory_stream, devices, c)


def _efficiency(rows: Columns, tensor: FloatArray, c: Coefficients) -> FloatArray:
    """Share of the rated speed at best, shape (D, R)."""
    matmul = rows.kind == KIND["matmul"]
    on_matrix = np.where(matmul, c.arithmetic_tensor, c.convolution_tensor)
    double = (rows.kind == KIND["conv"]) & (rows.dtype == DTYPE["fp64"])
    on_vector = c.arithmetic_vector * np.where(double, c.convolution_double, 1.0)
    backward = np.isin(rows.kind, (KIND["conv_dgrad"], KIND["conv_wgrad"]))
    share = np.where(tensor > 0, on_matrix * np.where(backward, c.backward_arithmetic, 1.0), on_vector)
    return share * np.where(~matmul & (rows.g[:, 0] > 1.0), c.grouped, 1.0)


def _filled(rows: Columns, c: Coefficients) -> FloatArray:
    """Share of a tile that a narrow group fills where the tile is as wide as for dense images, shape (R,) [1].

    Training with cuDNN 8.3 took as long for groups of 56, 64 and 128 channels, and half as long for those up to 32.
    """
    width = np.minimum(rows.n[:, 0], rows.k[:, 0] / rows.taps)
    tile = np.where(width > GRAIN, c.tile_side, c.tile_side / 2.0)
    return np.minimum(pad(width, GRAIN) / tile, 1.0)


def gemm_kinds() -> IntArray:
    """Kinds that this module computes."""
    return np.array([KIND[name] for name in ("matmul", "conv", "conv_dgrad", "conv_wgrad")])
