"""What people would use otherwise, over the same traces and datasheets."""

import math

import numpy as np

from outboard.perf.time.columns import Columns, columns
from outboard.perf.time.rates import matrix_rate
from outboard.types.hardware import Device
from outboard.types.job import Job
from outboard.types.trace import DTYPES, FloatArray, Trace

SHARE = "FLOPs / (0.35 peak)"
ROOFLINE = "roofline"
TORCH = "torch RuntimeEstimator"
METHODS = (SHARE, ROOFLINE, TORCH)


def of_step(job: Job, trace: Trace, batch: int, device: Device) -> dict[str, float]:
    """Seconds of a step by each of :data:`METHODS` [s]."""
    return of_operators(columns(job, trace, np.array([float(batch)])), device)


def of_operators(cols: Columns, device: Device) -> dict[str, float]:
    """The same for a table of operators at one batch.

    * the rule of thumb: all FLOP at 35 % of the peak of the type that most of them have;
    * a roofline of operators: the longer of FLOP / peak and bytes / bandwidth, nothing lost;
    * torch's ``RuntimeEstimator`` in its roofline mode (torch 2.14, torch/utils/_runtime_estimation.py): the same with
      multiply-adds counted once over 75 % of the peak.
    """
    flops, moved = cols.flops[:, 0], (cols.read + cols.written)[:, 0]
    peak = _peaks(cols, device)
    bandwidth = device.memory_bandwidth.value
    work = cols.count * flops
    most = int(np.bincount(cols.dtype, work, len(DTYPES)).argmax())
    return {
        SHARE: float(work.sum() / (0.35 * matrix_rate(device, DTYPES[most])[0])),
        ROOFLINE: float((cols.count * np.maximum(flops / peak, moved / bandwidth)).sum()),
        TORCH: float((cols.count * np.maximum(0.5 * flops / (0.75 * peak), moved / bandwidth)).sum()),
    }


def _peaks(cols: Columns, device: Device) -> FloatArray:
    """The datasheet's rate for the operand type of each row [FLOP/s]; fp32 where the device has none of its own."""
    rates = np.array([matrix_rate(device, name)[0] for name in DTYPES])
    single = rates[DTYPES.index("fp32")]
    return np.array([rate if math.isfinite(rate) else single for rate in rates])[cols.dtype]
