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
from outboard.perf.time.tiles import arithmetic_seconds, pad, tiling
from outboard.types.trace import FloatArray

TAPS, TILE_SIDE, TILE_RESULTS, TILE_PLACES = 9.0, 4.0, 16.0, 36.0
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
    take = (way < smooth_max(on_chip[:, chosen], memory[:, chosen], c.ceiling_norm)) & (vector > 0)
    on_chip[:, chosen] = np.where(take, way, on_chip[:, chosen])
    memory[:, chosen] = np.where(take, 0.0, memory[:, chosen])
    return on_chip, memory


def applies(rows: Columns) -> NDArray[np.bool_]:
    """Which rows are convolutions of 3 x 3 with stride 1; not in fp64, shape (R,)."""
    return np.isin(rows.kind, KINDS) & (rows.taps == TAPS) & (rows.stride == 1) & (rows.dtype != DTYPE["fp64"])


def covered(rows: Columns) -> FloatArray:
    """How many pixels the tiles of a square image cover over those that it has, shape (R, 1) [1].

    >>> import numpy as np
    >>> side = np.array([5.0, 7.0, 56.0])
    >>> (np.square(np.ceil(side / 4) * 4 / side)).round(2).tolist()
    [2.56, 1.31, 1.0]
    """
    side = np.sqrt(rows.image)
    return np.square(pad(side - 1e-6, TILE_SIDE) / side)[:, None]


def _products(rows: Columns) -> Columns:
    """The products of all places of the tiles, as plain products of matrices."""
    more = covered(rows)
    return replace(
        rows,
        kind=np.full(len(rows), KIND["matmul"]),
        taps=np.ones(len(rows)),
        flops=rows.flops / GAIN * more,
        m=rows.m / TILE_RESULTS * more,
        k=rows.k / TAPS,
        g=rows.g * TILE_PLACES,
    )


def _moved(rows: Columns) -> FloatArray:
    """Bytes to and from memory, shape (R, B): images read, written in the other form and read so; results back."""
    weights = rows.n * rows.k * rows.g * ITEMSIZE[rows.dtype][:, None]
    images = np.maximum(rows.read - weights, 0.0) + rows.written
    transformed = 2.0 * TILE_PLACES / TILE_RESULTS * covered(rows)
    return images * (1.0 + transformed) + weights * (1.0 + 2.0 * TILE_PLACES / TAPS)
