"""Classes of operators that are no plain products: fused attention and depthwise convolutions."""

import numpy as np

from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.columns import DTYPE, KIND, Columns
from outboard.perf.time.places import DeviceArrays
from outboard.perf.time.roofline import memory_seconds
from outboard.types.trace import FloatArray

ATTENTION_TILE = 64.0  # queries and keys are handled in blocks of this many
HEAD_GRAIN = 32.0  # head sizes are padded to multiples of this
# Work of the ordinary units for each score, as FLOP at their rated speed: FlashAttention-2 reaches 0.6 of an A100's
# matrix rate with heads of 64 and 0.72 with heads of 128 (arXiv:2307.08691, figure 4, remembered).
SOFTMAX_FLOP = 10.0
PRODUCTS_FLOP = 4.0  # of the two products, for each score and element of a head

ATTENTION = np.array([KIND["attention"], KIND["attention_backward"]])
DEPTHWISE = np.array([KIND[name] for name in ("depthwise", "depthwise_dgrad", "depthwise_wgrad")])


def attention_seconds(rows: Columns, devices: DeviceArrays, c: Coefficients) -> tuple[FloatArray, FloatArray]:
    """Arithmetic and memory time of fused attention, shape (D, R, B) each [s]; scores never leave the chip."""
    padding = (
        (np.ceil(rows.m / ATTENTION_TILE) * ATTENTION_TILE / rows.m)
        * (np.ceil(rows.n / ATTENTION_TILE) * ATTENTION_TILE / rows.n)
        * (np.ceil(rows.k / HEAD_GRAIN) * HEAD_GRAIN / rows.k)
    )
    backward = np.where(rows.kind == KIND["attention_backward"], c.backward_arithmetic, 1.0)
    rate = devices.matrix[:, rows.dtype] * c.attention_arithmetic * backward
    work = rows.flops * padding
    # One block of queries of one head is a unit's work; a last wave that is not full costs as in a product.
    blocks = rows.g * np.ceil(rows.m / ATTENTION_TILE)
    tail = c.tail_waves * devices.units[:, None, None] * (work / blocks)
    idle = np.maximum(devices.units[:, None, None] / blocks, 1.0)
    # The exponentials and sums of the softmax run on the ordinary units, between the products.
    scores = work / (PRODUCTS_FLOP * rows.k)
    softmax = scores * SOFTMAX_FLOP / devices.vector[:, DTYPE["fp32"], None, None]
    arithmetic = (work + tail / np.minimum(idle, 4.0)) / rate[:, :, None] + softmax
    return arithmetic, memory_seconds(rows.read + rows.written, c.memory_matmul, devices, c)


def depthwise_seconds(rows: Columns, devices: DeviceArrays, c: Coefficients) -> tuple[FloatArray, FloatArray]:
    """Arithmetic and memory time of depthwise convolutions, shape (D, R, B) each [s]; matrix units do not help them."""
    backward = np.where(rows.kind == KIND["depthwise"], 1.0, c.depthwise_backward)
    layout = np.where(rows.last > 0, c.depthwise_last, 1.0)
    rate = devices.vector[:, rows.dtype] * c.depthwise_arithmetic * backward * layout
    efficiency = c.memory_depthwise * layout
    memory = memory_seconds(rows.read + rows.written, efficiency[:, None], devices, c)
    return rows.flops / rate[:, :, None], memory
