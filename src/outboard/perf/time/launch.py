"""What it costs to start kernels: a floor per kernel on the device, and the rate at which the processor issues them."""

import numpy as np
from numpy.typing import NDArray

from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.columns import PHASE, Columns
from outboard.types.trace import FloatArray


def floor_seconds(cols: Columns, weights: FloatArray, c: Coefficients) -> FloatArray:
    """Start, ramp and gap of all kernels of each group, shape (G,) [s]; a kernel that fusion removed costs nothing."""
    return c.kernel_floor * (weights @ cols.kernels)


def issue_per_operator(
    cols: Columns, compiled: NDArray[np.bool_] | bool, training: NDArray[np.bool_] | bool, c: Coefficients
) -> FloatArray:
    """Time that the processor needs to issue one operator of each row, shape (R,) [s].

    In eager mode each operator passes through Python and the dispatcher, and records its gradient when training; the
    backward pass is issued by the autograd engine. A compiled step only launches its kernels. Views and operators
    without a kernel still cost the processor something, but a trace does not list them.
    """
    forward = np.where(training, c.issue_eager * c.issue_autograd, c.issue_eager)
    eager = np.where(cols.phase == PHASE["backward"], c.issue_backward, forward)
    eager = np.where(cols.phase == PHASE["optimizer"], c.issue_eager, eager)
    eager = np.where(cols.old > 0, eager * c.issue_old, eager)
    return np.where(compiled, c.issue_compiled, eager) * cols.kernels


def exposed(device: FloatArray, processor: FloatArray) -> FloatArray:
    """Seconds by which a step outlasts its kernels because the processor issues them no faster.

    The device runs behind the processor, so the step takes the longer of both; where they are close, stretches of small
    kernels starve the device although the whole step would not (a 4-norm, as between ceilings).
    """
    longest = np.sqrt(np.sqrt(np.square(np.square(device)) + np.square(np.square(processor))))
    return longest - device
