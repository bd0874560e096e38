"""What a step waits for because several devices share its work, by the way they do: ``Job.parallel``.

| way | what travels in each step | what hides it |
|---|---|---|
| ddp | all-reduce of the gradients in buckets of 25 MB | the backward pass, but for the last bucket |
| dp | weights to every device and gradients back, all over the first one's link | nothing |
| zero1, zero2 | reduce-scatter of the gradients, all-gather of the weights | the backward pass hides the first |
| zero3, fsdp | all-gather of the weights twice, reduce-scatter of the gradients | forward and backward pass |
| tensor | four all-reduces of the activations for each layer | nothing |
| pipeline | activations and their gradients between neighbours, and the bubble | nothing |
"""

from dataclasses import dataclass

import numpy as np

from outboard.errors import JobError
from outboard.i18n import _
from outboard.perf.collectives import algorithms, volume
from outboard.perf.collectives.fabric import fact
from outboard.types.job import Job
from outboard.types.trace import FloatArray, Trace

BUCKET = 25e6  # gradients leave in buckets of this size (DistributedDataParallel's default) [B]
SPLIT = ("tensor", "pipeline")  # ways that split one replica among the devices


@dataclass(frozen=True)
class Ring:
    """The fabrics of P places, shape (P,) each: see :class:`outboard.perf.collectives.fabric.Fabric`."""

    count: FloatArray
    bandwidth: FloatArray  # [B/s]
    step: FloatArray  # [s]
    machines: FloatArray  # 1 where a network joins them, else 0


@dataclass(frozen=True)
class Passes:
    """What one device does without any exchange, shape (P, B) each [s]; forward and backward of one micro-step."""

    forward: FloatArray
    backward: FloatArray
    whole: FloatArray  # the optimizer step


def replicas(job: Job, count: int) -> int:
    """How many batches are worked on at a time."""
    return 1 if job.parallel in SPLIT else count


def work_share(job: Job, count: FloatArray) -> FloatArray:
    """Share of the forward and backward pass that each device does, bubbles included, shape (P,) [1]."""
    if job.parallel == "tensor":
        return 1.0 / count
    if job.parallel == "pipeline":
        micro = float(job.grad_accumulation) if job.task != "infer" else 1.0
        return (micro + count - 1.0) / micro / count
    return np.ones_like(count)


def optimizer_share(job: Job, count: FloatArray) -> FloatArray:
    """Share of the optimizer's work that each device does, shape (P,) [1]."""
    return np.ones_like(count) if job.parallel in ("ddp", "dp") else 1.0 / count


def exchange_seconds(job: Job, trace: Trace, batches: FloatArray, ring: Ring, passes: Passes) -> FloatArray:
    """What the step waits for, shape (P, B) [s]: exposed exchanges, and the slowest of the devices.

    Raises :class:`JobError` where a way does not suit the model.
    """
    check(job, trace, ring.count)
    if job.task == "infer" and job.parallel not in SPLIT:
        return np.zeros_like(passes.whole)
    exposed = WAYS[job.parallel](job, trace, batches, ring, passes)
    waiting = fact("straggler.share").value * np.log2(ring.count)[:, None] * passes.whole
    return np.where(ring.count[:, None] > 1, exposed + waiting, 0.0)


def check(job: Job, trace: Trace, count: FloatArray) -> None:
    """Complain of a way that does not suit the model."""
    if job.parallel in SPLIT and (count > 1).any() and volume.layers(trace) < 1:
        message = _(
            "parallel: {way} is forecast for models with attention layers only, and {workload} has none; use ddp"
        )
        raise JobError(message.format(way=job.parallel, workload=trace.info.workload))


def _ddp(job: Job, trace: Trace, batches: FloatArray, ring: Ring, passes: Passes) -> FloatArray:
    size = volume.gradient_bytes(trace)
    buckets = max(np.ceil(size / BUCKET), 1.0)
    bucket = algorithms.all_reduce(size / buckets, ring.count, ring.bandwidth, ring.step, ring.machines)[:, None]
    return np.maximum(_left(buckets * bucket, passes.backward), bucket)


def _dp(job: Job, trace: Trace, batches: FloatArray, ring: Ring, passes: Passes) -> FloatArray:
    others = ring.count - 1.0
    there = algorithms.send(volume.weight_bytes(trace), ring.bandwidth, ring.step)
    back = algorithms.send(volume.gradient_bytes(trace), ring.bandwidth, ring.step)
    return (others * (there + back))[:, None] + np.zeros_like(passes.whole)


def _zero(job: Job, trace: Trace, batches: FloatArray, ring: Ring, passes: Passes) -> FloatArray:
    # Gradients scattered during backward, then as many bytes of weights collected.
    one_way = algorithms.gather(volume.gradient_bytes(trace), ring.count, ring.bandwidth, ring.step)[:, None]
    return _left(one_way, passes.backward) + one_way


def _fsdp(job: Job, trace: Trace, batches: FloatArray, ring: Ring, passes: Passes) -> FloatArray:
    units = max(volume.layers(trace), 1.0)
    micro = float(job.grad_accumulation)
    weights = volume.weight_bytes(trace) / units
    one = algorithms.gather(weights, ring.count, ring.bandwidth, ring.step)[:, None]
    scatter = algorithms.gather(volume.gradient_bytes(trace) / units, ring.count, ring.bandwidth, ring.step)[:, None]
    each = units * (2.0 * one + scatter)
    return micro * np.maximum(_left(each, passes.forward + passes.backward), one + scatter)


def _tensor(job: Job, trace: Trace, batches: FloatArray, ring: Ring, passes: Passes) -> FloatArray:
    size = volume.activation_bytes(trace, batches, _itemsize(job))[None, :]
    passes_made = 2.0 if job.task == "infer" else 4.0
    micro = 1.0 if job.task == "infer" else float(job.grad_accumulation)
    n, bandwidth, step, machines = (
        column[:, None] for column in (ring.count, ring.bandwidth, ring.step, ring.machines)
    )
    return micro * passes_made * volume.layers(trace) * algorithms.all_reduce(size, n, bandwidth, step, machines)


def _pipeline(job: Job, trace: Trace, batches: FloatArray, ring: Ring, passes: Passes) -> FloatArray:
    size = volume.activation_bytes(trace, batches, _itemsize(job))[None, :]
    ways = 1.0 if job.task == "infer" else 2.0
    micro = 1.0 if job.task == "infer" else float(job.grad_accumulation)
    one = algorithms.send(size, ring.bandwidth[:, None], ring.step[:, None])
    return ways * (micro + ring.count[:, None] - 2.0) * one


def _left(seconds: FloatArray, beside: FloatArray) -> FloatArray:
    """What is left of an exchange beside work that goes on meanwhile [s]."""
    return seconds - np.minimum(fact("overlap.share").value * seconds, beside)


def _itemsize(job: Job) -> float:
    """Bytes of an activation [B]."""
    return 4.0 if job.precision in ("fp32", "tf32") else 8.0 if job.precision == "fp64" else 2.0


WAYS = {
    "ddp": _ddp,
    "dp": _dp,
    "zero1": _zero,
    "zero2": _zero,
    "zero3": _fsdp,
    "fsdp": _fsdp,
    "tensor": _tensor,
    "pipeline": _pipeline,
}
