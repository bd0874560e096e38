"""The sum of all tensors alive at once, at each position of a step."""

import numpy as np

from outboard.types.trace import FloatArray, TensorTable


def live_bytes(tensors: TensorTable, sizes: FloatArray) -> FloatArray:
    """Bytes alive while each operator runs, shape (steps,), for the given size of each tensor [B]."""
    change = np.zeros(tensors.steps + 2)
    np.add.at(change, np.maximum(tensors.birth, 0), sizes)
    # What dies at i is gone when operator i allocates; what is alive after the step never dies within it.
    dying = tensors.death < tensors.steps
    np.add.at(change, tensors.death[dying], -sizes[dying])
    return np.cumsum(change)[: max(tensors.steps, 1)]


def peak_bytes(tensors: TensorTable, batch: float) -> float:
    """Largest sum of live tensors at one batch size [B]; the framework rounds each up, which is not counted here."""
    sizes = tensors.size.constant + tensors.size.per_batch * batch
    return float(live_bytes(tensors, sizes).max(initial=0.0))
