"""Matrix products and the convolutions that are matrix products in disguise.

Three ceilings: arithmetic on the matrix or ordinary units, with the work padded to tiles and the last wave of tiles
not full; traffic between the last-level cache and the multiprocessors, which narrow tiles multiply; traffic to memory.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.columns import DTYPE, KIND, Columns
from outboard.perf.time.places import DeviceArrays
from outboard.perf.time.roofline import ITEMSIZE, l2_bandwidth, memory_seconds, smooth_max
from outboard.types.trace import FloatArray, IntArray

GRAIN = 32.0  # rows and columns of a product come in multiples of this: the smallest tile side of the libraries
INNER_GRAIN = 16.0  # and the inner dimension in multiples of this: the depth of one matrix instruction
SPLIT_DEPTH = 512.0  # the inner dimension is split among units only into pieces at least this deep


@dataclass(frozen=True)
class Tiling:
    """How a product is cut into tiles, shape (R, B) each; independent of the device."""

    work: FloatArray  # FLOP with padding, and with the filling of each tile's pipeline
    tile: FloatArray  # FLOP of one tile
    count: FloatArray  # number of tiles
    depth: FloatArray  # inner dimension
    side_sum: FloatArray  # 1/tile height + 1/tile width: operand loads per multiply-add


def tiling(rows: Columns, c: Coefficients) -> Tiling:
    """Cut each product of ``rows`` into tiles of side ``c.tile_side`` or less."""
    height, width, depth = gemm_shape(rows)
    padded_height, padded_width = _pad(height, GRAIN), _pad(width, GRAIN)
    padded_depth = _pad(depth, INNER_GRAIN)
    padding = padded_height / height * (padded_width / width) * (padded_depth / depth)
    tile_height, tile_width = np.minimum(padded_height, c.tile_side), np.minimum(padded_width, c.tile_side)
    return Tiling(
        work=rows.flops * padding * (1.0 + c.tile_depth / padded_depth),
        tile=2.0 * tile_height * tile_width * (padded_depth + c.tile_depth),
        count=rows.g * (padded_height / tile_height) * (padded_width / tile_width),
        depth=padded_depth,
        side_sum=1.0 / tile_height + 1.0 / tile_width,
    )


def gemm_shape(rows: Columns) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Height, width and depth of the product behind each row, shape (R, B).

    A convolution multiplies pixels x (channels x taps) by (channels x taps) x filters. Its data gradient swaps filters
    and channels; its weight gradient is filters x pixels by pixels x (channels x taps).
    """
    taps = rows.taps[:, None]
    data, weight = (rows.kind == KIND["conv_dgrad"])[:, None], (rows.kind == KIND["conv_wgrad"])[:, None]
    height = np.where(weight, rows.n, rows.m)
    width = np.where(data, np.maximum(rows.k / taps, 1.0), np.where(weight, rows.k, rows.n))
    depth = np.where(data, rows.n * taps, np.where(weight, rows.m, rows.k))
    return height, width, depth


def gemm_seconds(rows: Columns, devices: DeviceArrays, c: Coefficients) -> tuple[FloatArray, FloatArray]:
    """On-chip time and memory time of each product on each device, shape (D, R, B) each [s]."""
    cut = tiling(rows, c)
    tensor = devices.tensor[:, rows.dtype]
    rate = devices.matrix[:, rows.dtype] * _efficiency(rows, tensor, c)
    arithmetic = _arithmetic_seconds(cut, rate[:, :, None], devices, c)
    loaded = 0.5 * cut.work * cut.side_sum * ITEMSIZE[rows.dtype][:, None]
    cache = loaded / l2_bandwidth(devices, c)[:, None, None]
    memory = memory_seconds(rows.read + rows.written, c.memory_matmul, devices, c)
    return smooth_max(arithmetic, cache), memory


def conversion_seconds(rows: Columns, devices: DeviceArrays, c: Coefficients) -> FloatArray | None:
    """Time to bring the images of convolutions on matrix units into channels-last order and back, (D, R, B) [s].

    Kernels of their own, so nothing hides them; None where no row needs them.
    """
    if not rows.converted.any():
        return None
    often = c.nchw_conversion * devices.tensor[:, rows.dtype] * rows.converted
    moved = 2.0 * (rows.read + rows.written)
    return often[:, :, None] * memory_seconds(moved, c.memory_stream, devices, c)


def _arithmetic_seconds(cut: Tiling, rate: FloatArray, devices: DeviceArrays, c: Coefficients) -> FloatArray:
    """Full waves plus the last one, shape (D, R, B) [s].

    The last wave costs a share of the time that one unit needs for one tile. With fewer tiles than units the libraries
    take smaller tiles (down to a quarter of the area) and split the inner dimension.
    """
    units = devices.units[:, None, None]
    idle = np.maximum(units / cut.count, 1.0)
    smaller = np.minimum(idle, 4.0)
    split = np.clip(idle / 4.0, 1.0, np.maximum(cut.depth / SPLIT_DEPTH, 1.0))
    return (cut.work + c.tail_waves * units * cut.tile / (smaller * split)) / rate


def _efficiency(rows: Columns, tensor: FloatArray, c: Coefficients) -> FloatArray:
    """Share of the rated speed at best, shape (D, R)."""
    matmul = rows.kind == KIND["matmul"]
    on_matrix = np.where(matmul, c.arithmetic_tensor, c.convolution_tensor)
    on_vector = c.arithmetic_vector * np.where(_winograd(rows), c.winograd, 1.0)
    backward = np.isin(rows.kind, (KIND["conv_dgrad"], KIND["conv_wgrad"]))
    return np.where(tensor > 0, on_matrix * np.where(backward, c.backward_arithmetic, 1.0), on_vector)


def _winograd(rows: Columns) -> NDArray[np.bool_]:
    """Convolutions of 3 x 3 with stride 1 that need fewer products than they are counted: not in fp64."""
    alike = np.isin(rows.kind, (KIND["conv"], KIND["conv_dgrad"], KIND["conv_wgrad"]))
    return alike & (rows.taps == 9) & (rows.stride == 1) & (rows.dtype != DTYPE["fp64"])


def _pad(size: FloatArray, grain: float) -> FloatArray:
    return np.ceil(size / grain) * grain


def gemm_kinds() -> IntArray:
    """Kinds that this module computes."""
    return np.array([KIND[name] for name in ("matmul", "conv", "conv_dgrad", "conv_wgrad")])
