"""How a product of matrices is cut into tiles, and how long the units need for all of them."""

from dataclasses import dataclass

import numpy as np

from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.columns import DTYPE, KIND, Columns
from outboard.perf.time.places import DeviceArrays
from outboard.types.trace import FloatArray

GRAIN = 32.0  # rows and columns of a product come in multiples of this: the smallest tile side of the libraries
# On the ordinary units a thread owns some columns, and products are padded to no more than what one thread owns.
THREAD_GRAIN = 8.0
ORDINARY = (DTYPE["fp32"], DTYPE["fp64"])  # types that mostly run there
# Batched products in fp32 take tiles of this height from Ampere on, whatever they are: of 1576 on an A100 1571 ran as
# ampere_sgemm_128x128, while older chips have tiles of 64 or 32 for narrow ones.
FULL_TILE = 128.0
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
    columns = np.where(np.isin(rows.dtype, ORDINARY), THREAD_GRAIN, GRAIN)[:, None]
    padded_height, padded_width = pad(height, GRAIN), pad(width, columns)
    padded_depth = pad(depth, INNER_GRAIN)
    padding = padded_height / height * (padded_width / width) * (padded_depth / depth)
    tile_height, tile_width = np.minimum(padded_height, c.tile_side), np.minimum(padded_width, c.tile_side)
    return Tiling(
        work=rows.flops * padding * (1.0 + c.tile_depth / padded_depth),
        tile=2.0 * tile_height * tile_width * (padded_depth + c.tile_depth),
        count=rows.g * (padded_height / tile_height) * (padded_width / tile_width),
        depth=padded_depth,
        side_sum=1.0 / tile_height + 1.0 / tile_width,
    )


def wasted(rows: Columns, tensor: FloatArray, devices: DeviceArrays) -> FloatArray | float:
    """Padding to full tiles over the padding to ``GRAIN`` of batched products on ordinary units, (D, R, B) [1]."""
    batched = (rows.kind == KIND["matmul"])[:, None] & (rows.g > 1.0)
    if not batched.any() or not devices.wide.any():
        return 1.0
    full = pad(rows.m, FULL_TILE) / pad(rows.m, GRAIN)
    concerned = (devices.wide[:, None] > 0) & (tensor == 0)
    return np.where(concerned[:, :, None] & batched, full, 1.0)


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


def arithmetic_seconds(
    cut: Tiling, rate: FloatArray, devices: DeviceArrays, c: Coefficients, waste: FloatArray | float = 1.0
) -> FloatArray:
    """Full waves plus the last one, shape (D, R, B) [s].

    The last wave costs a share of the time that one unit needs for one tile. With fewer tiles than units the libraries
    take smaller tiles (down to a quarter of the area) and split the inner dimension.
    """
    units = devices.units[:, None, None]
    idle = np.maximum(units / cut.count, 1.0)
    smaller = np.minimum(idle, 4.0)
    split = np.clip(idle / 4.0, 1.0, np.maximum(cut.depth / SPLIT_DEPTH, 1.0))
    return (cut.work * waste + c.tail_waves * units * cut.tile / (smaller * split)) / rate


def pad(size: FloatArray, grain: float | FloatArray) -> FloatArray:
    """``size`` rounded up to a multiple of ``grain``."""
    return np.ceil(size / grain) * grain
