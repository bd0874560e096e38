"""What a forward pass without gradients holds at its highest: evaluation between steps, which may be the peak of a run.

The operators are those of the recorded training step up to its loss. Without autograd nothing is kept for backward:
each storage dies after its last reader. What the model gives out stays until the loss is there.
"""

from collections.abc import Sequence

import numpy as np

from outboard.tracing.affine import fit
from outboard.tracing.raw import RawStep
from outboard.types.trace import Affine


def evaluation_peak(steps: Sequence[RawStep]) -> Affine:
    """Bytes beside weights and inputs at the highest point of evaluation, one row [B]."""
    peaks = np.array([[_peak(step) for step in steps]])
    return fit(peaks, np.array([step.batch for step in steps], float))


def _peak(step: RawStep) -> float:
    end = step.phase_start.get("backward", len(step.operators))
    last: dict[int, int] = {}
    for position, operator in enumerate(step.operators[:end]):
        for storage in operator.inputs:
            last[storage] = position
    change = np.zeros(end + 2)
    for tensor in step.tensors:
        if 0 <= tensor.birth < end:
            death = end if tensor.category == "output" else last.get(tensor.id, tensor.birth) + 1
            change[tensor.birth] += tensor.size
            change[death] -= tensor.size
    return float(np.cumsum(change).max(initial=0.0))
