"""What one of several devices holds of a job: its share of weights, gradients and optimizer states, and what passes.

Which storages are shared depends on the way (``Job.parallel``) and on what waits in the host's memory
(``Job.offload``). What is shared must be gathered before it is used: layers in passing, and gradients on their way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from outboard.perf.memory import layers
from outboard.perf.memory.coefficients import coefficient
from outboard.perf.memory.timeline import GATHERED, GRADIENTS, OPTIMIZER, OUTPUT, TRAVELLING, WEIGHTS, Timeline
from outboard.perf.memory.workspaces import Bound
from outboard.types.trace import CATEGORIES, FloatArray, Trace

if TYPE_CHECKING:
    from outboard.types.hardware import Place
    from outboard.types.job import Job

ACTIVATIONS = (CATEGORIES.index("activations"), CATEGORIES.index("temporaries"))
# Who keeps a share of what, in the words of the ZeRO paper (arXiv:1910.02054): states, gradients too, weights too.
STATES = ("zero1", "zero2", "zero3", "fsdp", "tensor", "pipeline")
GRADIENT_SHARES = ("zero2", "zero3", "fsdp", "tensor", "pipeline")
WEIGHT_SHARES = ("zero3", "fsdp", "tensor", "pipeline")
DEEPSPEED = ("zero1", "zero2", "zero3")
REDUCING = (*DEEPSPEED, "fsdp")  # ways that send gradients to who keeps them
HALF = ("fp16", "bf16")
STATE_BYTES = 4.0  # of one element of a master copy, or of one moment, in DeepSpeed's half-precision training


@dataclass(frozen=True)
class Shares:
    """Which part of each kind of storage a device holds [1]."""

    weights: float
    gradients: float
    states: float


def devices(job: Job, place: Place) -> int:
    """Among how many devices the job's storages are shared: 1 where each holds everything."""
    return place.count if job.parallel != "ddp" else 1


def is_whole(job: Job, count: int) -> bool:
    """Whether the device holds everything, as a trace has it. DeepSpeed's copies are there with one device, too."""
    if job.offload != "none" or job.parallel in DEEPSPEED or paged(job):
        return False
    return count == 1 or job.parallel == "ddp" or (job.task == "infer" and job.parallel == "dp")


def paged(job: Job) -> bool:
    """Whether the driver moves the optimizer's states to the host's memory where the device has no room for them."""
    return job.optimizer.startswith("paged-") and job.task != "infer"


def shares(job: Job, count: int) -> Shares:
    """The part of one of ``count`` devices; what waits in the host's memory is not on any."""
    each = 1.0 / count
    weights = each if job.parallel in WEIGHT_SHARES else 1.0
    gradients = each if job.parallel in GRADIENT_SHARES else 1.0
    states = 0.0 if paged(job) else each if job.parallel in STATES else 1.0
    if job.offload == "all":
        return Shares(0.0, 0.0, 0.0)
    if job.offload == "optimizer":
        return Shares(weights, 0.0 if job.parallel in GRADIENT_SHARES else gradients, 0.0)
    return Shares(weights, gradients, states)


def shared(job: Job, trace: Trace, line: Timeline, count: int, bound: Bound) -> Timeline:
    """``line`` as one of ``count`` devices sees it."""
    if is_whole(job, count):
        return line
    part = shares(job, count)
    factor = np.ones(len(line))
    factor[line.category == WEIGHTS] = part.weights
    factor[line.category == GRADIENTS] = part.gradients
    stepping = (line.birth >= line.optimizer) | (line.category == OPTIMIZER)
    factor[stepping] = part.states * _in_full(job)
    if job.parallel == "dp":
        factor[line.category == OUTPUT] = count  # the first device collects the results of all
    factor = factor * _activations(job, trace, line, count)
    line = replace(line, constant=line.constant * factor, per_batch=line.per_batch * factor)
    return _with_passing(job, trace, line, count, bound)


def _in_full(job: Job) -> float:
    """Bytes of an optimizer's states over those of a trace [1]: DeepSpeed keeps them in fp32, whatever weights are."""
    return 2.0 if job.parallel in DEEPSPEED and job.precision in HALF and not job.optimizer.endswith("8bit") else 1.0


def _with_passing(job: Job, trace: Trace, line: Timeline, count: int, bound: Bound) -> Timeline:
    """Add the layers that are gathered, the gradients that travel, and the master copy of half-precision training."""
    always, until_step = (-1, line.steps), (-1, line.optimizer)
    if job.parallel in ("zero3", "fsdp") or job.offload == "all":
        line = _one(line, until_step, GATHERED, gathered_bytes(job, trace, bound))
    if job.task == "infer":
        return line
    if job.parallel in REDUCING or job.offload == "all":
        line = _one(line, (line.backward, line.optimizer), TRAVELLING, travelling_bytes(job, trace, bound))
    if paged(job):  # states of the parameter that is being stepped
        line = _one(line, (line.optimizer, line.steps), OPTIMIZER, _largest_states(trace))
    if job.parallel in DEEPSPEED and job.precision in HALF and job.offload == "none":
        master = STATE_BYTES * _trained(trace) / count
        line = _one(line, always, OPTIMIZER, master)
    return line


def _one(line: Timeline, life: tuple[int, int], category: int, size: float) -> Timeline:
    if life[0] >= life[1] or size <= 0:
        return line
    birth, death = (np.array([end], dtype=np.int64) for end in life)
    return line.joined(birth, death, category, np.array([size]), np.zeros(1))


def gathered_bytes(job: Job, trace: Trace, bound: Bound) -> float:
    """Whole layers that a device has for the time in which it needs them [B].

    FSDP keeps what belongs to no layer, the layer at work and the next one. DeepSpeed keeps so many elements.
    """
    model = layers.split(trace)
    if job.parallel != "zero3":
        return min(model.outside + bound(coefficient("gathered", "fsdp")) * model.layer, model.total)
    live = bound(coefficient("gathered", "zero3")) * model.total / max(trace.parameters.elements.sum(), 1.0)
    return min(max(live, model.outside + model.layer), model.total)


def travelling_bytes(job: Job, trace: Trace, bound: Bound) -> float:
    """Gradients between backward and who keeps them: of one layer, or DeepSpeed's buckets [B]."""
    model = layers.split(trace, trainable=True)
    if job.parallel not in DEEPSPEED:
        return min(max(model.layer, model.outside), model.total)
    itemsize = model.total / max(_trained(trace), 1.0)
    most = min(bound(coefficient("travelling", "bucket")) * itemsize, model.total)
    return most * bound(coefficient("travelling", job.parallel))


def _largest_states(trace: Trace) -> float:
    """The largest of the optimizer's states, twice: both moments of one parameter [B]."""
    there = (trace.tensors.category == OPTIMIZER) & (trace.tensors.birth < 0)
    return 2.0 * float(trace.tensors.size.constant[there].max(initial=0.0))


def _trained(trace: Trace) -> float:
    """Elements of the parameters that are trained."""
    return float(trace.parameters.elements[trace.parameters.trainable].sum())


def _activations(job: Job, trace: Trace, line: Timeline, count: int) -> FloatArray:
    """What a device holds of each activation [1]: tensor parallel splits all but the stream between the layers, and a
    stage of a pipeline holds its layers' for as many micro-batches as are on their way.
    """
    factor = np.ones(len(line))
    inside = np.isin(line.category, ACTIVATIONS) & (line.birth >= 0) & (line.birth < line.optimizer)
    # Results of the model, and what the loss makes of them, belong to one device whole.
    results = line.per_batch[line.category == OUTPUT]
    inside &= line.per_batch < results.min(initial=np.inf)
    if job.parallel == "pipeline":
        factor[inside] = min(job.grad_accumulation, count) / count if job.task != "infer" else 1.0 / count
    elif job.parallel == "tensor":
        stream = (trace.info.tokens_per_sample or 1) * layers.width(trace) * 4.0  # at most fp32 [B]
        factor[inside & (line.per_batch > stream)] = 1.0 / count
    return factor
