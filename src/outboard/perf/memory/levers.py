"""What a change to the training loop would save: each lever with the bytes it frees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from outboard.i18n import _
from outboard.perf.memory.required import required_bytes
from outboard.types.hardware import Place
from outboard.types.trace import Trace

if TYPE_CHECKING:
    from outboard.types.job import Job


@dataclass(frozen=True)
class Lever:
    """One change that saves memory without tracing the model again. ``saved`` is of the required bytes' value [B]."""

    name: str
    text: str
    saved: float
    job: Job


def memory_levers(job: Job, trace: Trace, batch: int, place: Place) -> tuple[Lever, ...]:
    """The changes to the loop that would save something, largest saving first."""
    here = _required(job, trace, batch, place)
    levers = [
        Lever(name, text, here - _required(changed, trace, batch, place), changed)
        for name, text, changed in _changes(job)
    ]
    return tuple(sorted((lever for lever in levers if lever.saved > 0), key=lambda lever: -lever.saved))


def _changes(job: Job) -> list[tuple[str, str, Job]]:
    if job.task == "infer":
        return []
    changes: list[tuple[str, str, Job]] = []
    if job.grad_accumulation == 1 and job.gradients_released != "before-forward":
        changed = job.model_copy(update={"gradients_released": "before-forward"})
        text = _("release gradients before forward: optimizer.zero_grad(set_to_none=True) right after optimizer.step()")
        changes.append(("gradients_released", text, changed))
    if job.grad_accumulation == 1 and job.gradients_released != "in-backward" and job.parallel == "ddp":
        changed = job.model_copy(update={"gradients_released": "in-backward"})
        text = _("step each parameter in backward, once its gradient is there: register_post_accumulate_grad_hook")
        changes.append(("gradients_released", text, changed))
    if job.allocator == "default":
        text = _("let the allocator join free pieces: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True")
        changes.append(("allocator", text, job.model_copy(update={"allocator": "expandable"})))
    if job.output_held:
        text = _("release the model's output once the loss is computed: del output before loss.backward()")
        changes.append(("output_held", text, job.model_copy(update={"output_held": False})))
    if job.input_copy == "overlapped":
        text = _("copy the next batch when this one is done, not beside it")
        changes.append(("input_copy", text, job.model_copy(update={"input_copy": "serial"})))
    return changes


def _required(job: Job, trace: Trace, batch: int, place: Place) -> float:
    return float(required_bytes(job, trace, np.array([float(batch)]), [place]).required.value[0, 0])
