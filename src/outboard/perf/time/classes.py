"""The other operator classes: attention, depthwise convolutions, and everything that only moves memory."""

import numpy as np

from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.columns import KIND, Columns
from outboard.perf.time.places import DeviceArrays
from outboard.perf.time.roofline import ITEMSIZE, memory_seconds
from outboard.types.trace import KINDS, FloatArray

ATTENTION_TILE = 64.0  # queries and keys are handled in blocks of this many
HEAD_GRAIN = 32.0  # head sizes are padded to multiples of this

ON_CHIP = 65_536.0  # a row of a normalisation up to this size stays in one multiprocessor's registers and cache [B]

NORMS = np.array([KIND["norm"], KIND["norm_backward"]])
ATTENTION = np.array([KIND["attention"], KIND["attention_backward"]])
DEPTHWISE = np.array([KIND[name] for name in ("depthwise", "depthwise_dgrad", "depthwise_wgrad")])
# Which coefficient holds the share of the memory bandwidth that each kind reaches.
MEMORY_CLASS = {
    "norm": "memory_norm",
    "norm_backward": "memory_norm_backward",
    "softmax": "memory_softmax",
    "softmax_backward": "memory_softmax",
    "reduction": "memory_softmax",
    "pool": "memory_softmax",
    "pool_backward": "memory_softmax",
    "gather": "memory_gather",
    "scatter": "memory_gather",
    "sort": "memory_gather",
    "fft": "memory_gather",
    "other": "memory_gather",
}


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
    arithmetic = (work + tail / np.minimum(idle, 4.0)) / rate[:, :, None]
    return arithmetic, memory_seconds(rows.read + rows.written, c.memory_matmul, devices, c)


def depthwise_seconds(rows: Columns, devices: DeviceArrays, c: Coefficients) -> tuple[FloatArray, FloatArray]:
    """Arithmetic and memory time of depthwise convolutions, shape (D, R, B) each [s]; matrix units do not help them."""
    backward = np.where(rows.kind == KIND["depthwise"], 1.0, c.depthwise_backward)
    rate = devices.vector[:, rows.dtype] * c.depthwise_arithmetic * backward
    memory = memory_seconds(rows.read + rows.written, c.memory_depthwise, devices, c)
    return rows.flops / rate[:, :, None], memory


def stream_seconds(rows: Columns, devices: DeviceArrays, c: Coefficients) -> FloatArray:
    """Time of the operators that memory bandwidth bounds, shape (D, R, B) [s]."""
    efficiency = np.array([getattr(c, MEMORY_CLASS.get(name, "memory_stream")) for name in KINDS], dtype=np.float64)
    # A normalisation needs its statistics first; a row too long to wait on chip is read once more to be normalised.
    twice = np.isin(rows.kind, NORMS)[:, None] & (rows.n * ITEMSIZE[rows.dtype][:, None] > ON_CHIP)
    size = np.where(twice, 2.0 * rows.read, rows.read) + rows.written
    size = size * np.where(rows.fused > 0, c.fused_traffic, 1.0)[:, None]
    return memory_seconds(size, efficiency[rows.kind][:, None], devices, c)
