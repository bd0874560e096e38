"""Operators that move memory and compute little: elementwise, copies, normalisations, softmax, gathers.

Two ceilings: the memory, of whose bandwidth each class reaches its share, and the multiprocessors, each of which
handles so many bytes in a clock cycle. The second is why the same operator comes closer to the memory's
bandwidth on a device with many units for its memory (RTX 4090) than on one with few (B200).
"""

import numpy as np

from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.columns import KIND, PHASE, Columns
from outboard.perf.time.places import DeviceArrays
from outboard.perf.time.roofline import ITEMSIZE, memory_seconds, smooth_max
from outboard.types.trace import KINDS, FloatArray

# A row up to this size is still in the multiprocessor's first cache when it is read the second time: 64 to 128 kB that
# some 16 rows at work share. Operators timed alone lose a third of their rate beyond it [B].
ON_CHIP = 4096.0
SOFTMAX_ROW = 1024.0  # PyTorch's softmax keeps rows up to this many elements in registers (PersistentSoftmax.cuh)
STREAMS = np.array([KIND["elementwise"], KIND["copy"]])
NORMS = np.array([KIND["norm"], KIND["norm_backward"]])
# Which coefficient holds the share of the memory bandwidth that each kind reaches.
MEMORY_CLASS = {
    "copy": "memory_copy",
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


def stream_seconds(rows: Columns, devices: DeviceArrays, c: Coefficients) -> FloatArray:
    """Time of the operators that memory bandwidth bounds, shape (D, R, B) [s]."""
    # A normalisation needs its statistics first; a row too long to wait on chip is read once more to be normalised.
    twice = np.isin(rows.kind, NORMS)[:, None] & (rows.n * ITEMSIZE[rows.dtype][:, None] > ON_CHIP)
    twice |= (rows.kind == KIND["softmax"])[:, None] & (rows.n > SOFTMAX_ROW)
    size = np.where(twice, 2.0 * rows.read, rows.read) + rows.written
    left = np.where(rows.kind == KIND["copy"], c.fused_copies, c.fused_traffic)
    size = size * np.where(rows.fused > 0, left, 1.0)[:, None]
    memory = memory_seconds(size, _efficiency(rows, c)[:, None], devices, c)
    return smooth_max(memory, size / _on_chip(rows, devices, c), norm=c.ceiling_norm)


def _efficiency(rows: Columns, c: Coefficients) -> FloatArray:
    """Share of the memory bandwidth that each row reaches, shape (R,) [1]."""
    by_kind = np.array([getattr(c, MEMORY_CLASS.get(name, "memory_stream")) for name in KINDS], dtype=np.float64)
    batch = rows.batch_norm > 0
    forward, backward = batch & (rows.kind == KIND["norm"]), batch & (rows.kind == KIND["norm_backward"])
    efficiency = np.where(forward, c.memory_batch_norm, by_kind[rows.kind])
    last = np.where(rows.last > 0, c.batch_norm_last, 1.0)
    efficiency = np.where(backward, np.minimum(c.memory_batch_norm_backward * last, 1.0), efficiency)
    mixed = (rows.mixed > 0) & (rows.phase == PHASE["backward"]) & np.isin(rows.kind, STREAMS) & (rows.fused == 0)
    return np.where(mixed, efficiency * c.memory_backward, efficiency)


def _on_chip(rows: Columns, devices: DeviceArrays, c: Coefficients) -> FloatArray:
    """Rate at which the units of a device handle what memory gives them, shape (D, R, 1) [B/s]."""
    reducing = np.array([name in MEMORY_CLASS and name != "copy" for name in KINDS], dtype=np.bool_)
    batch = rows.batch_norm > 0
    each = np.where(reducing[rows.kind], c.cycle_reduction, c.cycle_stream)
    each = np.where(np.isin(rows.kind, NORMS) & ~batch, c.cycle_norm, each)
    each = np.where((rows.kind == KIND["copy"]) | batch & (rows.kind == KIND["elementwise"]), c.cycle_copy, each)
    # Each channel of a batch norm is the work of few blocks, so few channels leave units idle.
    blocks = np.where(batch & (rows.last == 0), rows.m[:, 0] * c.batch_norm_blocks, np.inf)
    units = np.minimum(devices.units[:, None], blocks)
    return (units * devices.clock[:, None] * each)[:, :, None]
