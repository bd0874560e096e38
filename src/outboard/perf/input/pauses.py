"""What interrupts the stride of a loop: synchronisations, checkpoints and evaluations, spread over the steps."""

import numpy as np

from outboard.types.job import Job
from outboard.types.trace import FloatArray


def sync_seconds(job: Job, latency: FloatArray, issue: float) -> FloatArray:
    """Synchronisations of one step (loss.item(), metrics, clipping by a norm that is read), shape (P,) [s].

    After each the device stands still until a small copy has come back and the next kernel has been issued and sent:
    two latencies of the link and the time of issuing one operator.
    """
    return job.syncs * (2.0 * latency + issue)


def checkpoint_seconds(job: Job, size: float, to_host: FloatArray, disk: FloatArray) -> FloatArray:
    """Checkpoints of ``size`` bytes, per step, shape (P,) [s]: over the link, then to the disk, and the loop waits."""
    if job.checkpoint_every is None or job.task == "infer":
        return np.zeros_like(to_host)
    return (size / to_host + size / disk) / job.checkpoint_every


def evaluation_seconds(job: Job, forward: FloatArray) -> FloatArray:
    """Evaluations of ``forward`` seconds a batch, per step, shape of ``forward`` [s]."""
    if job.evaluate_every is None or job.task == "infer":
        return np.zeros_like(forward)
    return forward * job.evaluate_batches / job.evaluate_every
