"""Winograd's way to convolutions of 3 x 3 with stride 1 on the ordinary units: fewer products, more traffic.

Tiles of 4 x 4 results need 36 products in place of 144. They are one product of matrices for each of the 36 places of a
tile, and images and weights are written and read once more in that form. The libraries take this way where it is the
shorter one; matrix units have no use for it. Source: Lavin and Gray 2016, arXiv:1509.09308, F(4 x 4, 3 x 3).
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.columns import DTYPE, KIND, Columns
from outboard.perf.time.places import DeviceArrays
from outboard.perf.time.roofline import ITEMSIZE, memory_seconds, smooth_max
from outboard.perf.time.tiles import arithmetic_seconds, tiling
from outboard.types.trace import FloatArray

TAPS, TILE_RESULTS, TILE_PLACES = 9.0, 16.0, 36.0
GAIN = TAPS * TILE_RESULTS / TILE_PLACES  # products saved
KINDS = (KIND["conv"], KIND["conv_dgrad"], KIND["conv_wgrad"])


def shorter(
    rows: Columns, direct: tuple[FloatArray, FloatArray], rate: FloatArray, devices: DeviceArrays, c: Coefficients
) -> tuple[FloatArray, FloatArray]:
    """Return on-chip and memory time (D, R, B) each [s], ``direct`` or Winograd's, whichever is shorter.

    ``rate`` (D, R) is that of the ordinary units [FLOP/s], 0 where matrix units do the work.
    """
    chosen = applies(rows)
    if not chosen.any() or not rate[:, chosen].any():
        return direct
    on_chip, memory = direct
    few, vector = rows.take(chosen), rate[:, chosen][:, :, None]
    with np.errstate(divide="ignore"):
        products = arithmetic_seconds(tiling(_products(few), c), vector * c.winograd, devices, c)
    way = products + memory_seconds(_moved(few), c.memory_matmul, devices, c)
    take = (way < smooth_max(on_chip[:, chosen], memory[:, chosen])) & (vector > 0)
    on_chip[:, chosen] = np.where(take, way, on_chip[:, chosen])
    memory[:, chosen] = np.where(take, 0.0, memory[:, chosen])
    return on_chip, memory


def applies(rows: Columns) -> NDArray[np.bool_]:
    """Which rows are convolutions of 3 x 3 with stride 1; not in fp64, shape (R,)."""
    return np.isin(rows.kind, KINDS) & (rows.taps == TAPS) & (rows.stride == 1) & (rows.dtype != DTYPE["fp64"])


def _products(rows: Columns) -> Columns:
    """The products of all places of the tiles, as plain products of matrices."""
    return replace(
        rows,
        kind=np.full(len(rows), KIND["matmul"]),
        taps=np.ones(len(rows)),
        flops=rows.flops / GAIN,
        m=rows.m / TILE_RESULTS,
        k=rows.k / TAPS,
        g=rows.g * TILE_PLACES,
    )


def _moved(rows: Columns) -> FloatArray:
    """Bytes to and from memory (R, B): images read, written transformed and read so; results the other way round."""
    weights = rows.n * rows.k * rows.g * ITEMSIZE[rows.dtype][:, None]
    images = np.maximum(rows.read - weights, 0.0) + rows.written
    return images * (1.0 + 2.0 * TILE_PLACES / TILE_RESULTS) + weights * (1.0 + 2.0 * TILE_PLACES / TAPS)
