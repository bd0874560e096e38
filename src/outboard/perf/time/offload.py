"""What a step waits for when states, or all, lie in the host's memory: the link, and the host's own arithmetic."""

import numpy as np

from outboard.perf.collectives.exchange import optimizer_share
from outboard.perf.collectives.volume import gradient_bytes, weight_bytes
from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.places import PlaceArrays
from outboard.types.job import Job
from outboard.types.trace import CATEGORIES, FloatArray, Trace

ADAM_BYTES = 28.0  # read and written for each element by Adam on the host: weight, gradient and two moments in fp32 [B]
STATES = CATEGORIES.index("optimizer")
PASSES = 2.0  # weights are fetched for the forward and again for the backward pass


def exposed_offload(
    job: Job, trace: Trace, busy: FloatArray, backward: FloatArray, places: PlaceArrays, c: Coefficients
) -> FloatArray:
    """Seconds by which an optimizer step outlasts its own work because of ``job.offload``, shape (P, B) [s].

    ``busy`` is the forward and backward work of all micro-steps, ``backward`` the backward work of the last one,
    both (P, B). Gradients travel while the backward pass makes them; the host steps when it has them all, and sends
    the weights back before the next forward pass. With ``all`` the weights travel while layers compute, and the
    longer of both sets the pace (ZeRO-Offload, arXiv:2101.06840; ZeRO-Infinity, arXiv:2104.07857). States of a paged
    optimizer are forecast as where the device has no room for them: they come for each step and go again.
    """
    if job.offload == "none" and job.optimizer.startswith("paged-") and job.task != "infer":
        states = _states(trace) * optimizer_share(job, places.count)
        return np.zeros_like(busy) + (states / places.link_h2d + states / places.link_d2h)[:, None]
    if job.offload == "none" or (job.task == "infer" and job.offload == "optimizer"):
        return np.zeros_like(busy)
    each = optimizer_share(job, places.count)
    table = trace.parameters
    trained = float(table.elements[table.trainable].sum()) * each
    size = gradient_bytes(trace) * each
    there, back = (size / places.link_d2h)[:, None], (size / places.link_h2d)[:, None]
    stepping = (trained * ADAM_BYTES / c.host_bandwidth)[:, None]
    if job.offload == "optimizer":
        return np.maximum(there - backward, 0.0) + stepping + back
    passes = PASSES if job.task != "infer" else 1.0
    micro = float(job.grad_accumulation) if job.task != "infer" else 1.0
    fetched = (weight_bytes(trace) * each * passes * micro / places.link_h2d)[:, None]
    streaming = np.maximum(fetched + (there if job.task != "infer" else 0.0) - busy, 0.0)
    return streaming + (stepping if job.task != "infer" else 0.0)


def _states(trace: Trace) -> float:
    """Bytes of the optimizer's states, as the trace holds them [B]."""
    there = (trace.tensors.category == STATES) & (trace.tensors.birth < 0)
    return float(np.maximum(trace.tensors.size.constant[there], 0.0).sum())
