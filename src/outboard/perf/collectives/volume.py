"""Bytes that the devices of a place exchange: gradients, weights, activations, as a trace has them."""

import numpy as np

from outboard.types.trace import KINDS, PHASES, FloatArray, Trace


def gradient_bytes(trace: Trace) -> float:
    """Bytes of all gradients of one replica [B]."""
    return float(trace.parameters.bytes[trace.parameters.trainable].sum())


def weight_bytes(trace: Trace) -> float:
    """Bytes of all weights, trained or not [B]."""
    return float(trace.parameters.bytes.sum())


def layers(trace: Trace) -> float:
    """Attention layers of the model [1]; 0 where it has none that a trace shows."""
    table = trace.operators
    fused = (table.kind == KINDS.index("attention")) & (table.phase == PHASES.index("forward"))
    if fused.any():
        return float(table.count[fused].sum())
    soft = (table.kind == KINDS.index("softmax")) & (table.phase == PHASES.index("forward"))
    return float(table.count[soft].sum())


def width(trace: Trace) -> float:
    """Elements that a token carries from layer to layer: the commonest length of the matrices' rows [1]."""
    table = trace.parameters
    matrices = table.columns > 1
    if not matrices.any():
        return 0.0
    sizes, where = np.unique(table.columns[matrices], return_inverse=True)
    return float(sizes[np.bincount(where, weights=table.count[matrices].astype(np.float64)).argmax()])


def activation_bytes(trace: Trace, batches: FloatArray, itemsize: float) -> FloatArray:
    """Bytes that one layer hands to the next, shape (B,) [B]."""
    return batches * (trace.info.tokens_per_sample or trace.info.seq_len or 0) * width(trace) * itemsize
