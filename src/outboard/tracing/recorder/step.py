"""One step at one batch size: forward, loss and backward under the recorder, then its rows and storages sorted out."""

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import torch
import torch.nn.functional as F  # noqa: N812 (everybody's name for it)

from outboard.errors import JobError
from outboard.i18n import _
from outboard.tracing.raw import RawStep
from outboard.tracing.recorder.categories import raw_tensors
from outboard.tracing.recorder.cuda import autocast_region
from outboard.tracing.recorder.mode import Recorder
from outboard.tracing.recorder.prepare import cast_batch
from outboard.tracing.recorder.runner import Quick, Runner
from outboard.tracing.recorder.tensors import collect
from outboard.tracing.sources.base import Batch, Built
from outboard.types.job import Job


def run_step(built: Built, job: Job, size: int, runner: Runner) -> RawStep:
    """Record one step; called where tensors are fake and operators behave as on CUDA."""
    with Quick(runner):
        batch = _make_batch(built, job, size)
    recorder = Recorder(runner, tf32=job.precision == "tf32")
    inputs = _leaves([batch.args, batch.kwargs, batch.targets])
    _name_residents(recorder, built, inputs)
    output = _execute(built, job, batch, recorder)
    steps = len(recorder.operators)
    recorder.enter_phase("optimizer")
    del output
    return RawStep(
        batch=size,
        operators=recorder.operators,
        tensors=raw_tensors(recorder, steps),
        phase_start={
            phase: recorder.phase_start.get(phase, steps) for phase in ("forward", "loss", "backward", "optimizer")
        },
        parameters=[(tuple(p.shape), p.dtype.itemsize, p.requires_grad) for p in built.model.parameters()],
        inputs=[(float(t.numel()), float(t.numel() * t.dtype.itemsize)) for t in inputs],
        warnings=[*built.warnings, *_assumptions(runner)],
    )


def _assumptions(runner: Runner) -> list[str]:
    if not runner.guessed:
        return []
    names = ", ".join(sorted(runner.guessed))
    return [_("values decide in {names}: half of the entries are taken, and numbers read are zero").format(names=names)]


def _make_batch(built: Built, job: Job, size: int) -> Batch:
    batch = built.make_batch(size)
    return Batch(cast_batch(batch.args, job), cast_batch(batch.kwargs, job), cast_batch(batch.targets, job))


def _leaves(values: Any) -> list[torch.Tensor]:
    if isinstance(values, dict):
        values = values.values()
    found: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, (dict, list, tuple)):
            found += _leaves(value)
        else:
            collect([value], found)
    return found


def _name_residents(recorder: Recorder, built: Built, inputs: list[torch.Tensor]) -> None:
    for parameter in built.model.parameters():
        recorder.storages.name(parameter, "weights")
    for buffer in built.model.buffers():
        recorder.storages.name(buffer, "weights")
    for tensor in inputs:
        recorder.storages.name(tensor, "inputs")


@contextlib.contextmanager
def _loss_inside(recorder: Recorder, training: bool) -> Iterator[None]:
    """Models that compute their own loss enter that phase when they call cross entropy."""
    plain = F.cross_entropy

    def cross_entropy(*args: Any, **kwargs: Any) -> torch.Tensor:
        if recorder.phase == "forward":
            recorder.enter_phase("loss")
        return plain(*args, **kwargs)

    with patch.object(F, "cross_entropy", cross_entropy if training else plain):
        yield


def _execute(built: Built, job: Job, batch: Batch, recorder: Recorder) -> Any:
    """Run the step and return what the training loop still holds after it."""
    training = job.task != "infer"
    loss = None
    with torch.set_grad_enabled(training), _loss_inside(recorder, training), recorder:
        with autocast_region(job):
            output = built.model(*batch.args, **batch.kwargs)
            if training:
                recorder.enter_phase("loss")
                loss = built.loss(output, batch.targets)
        if loss is not None:
            if not loss.requires_grad:
                raise JobError(
                    _("the loss of {workload} does not depend on any parameter").format(workload=job.workload)
                )
            recorder.enter_phase("backward")
            loss.backward()
    held = _leaves([output, loss])
    for tensor in held:
        recorder.storages.name(tensor, "output")
    # While they are watched still: a gradient named afterwards would look like another storage, there from the start.
    for parameter in built.model.parameters():
        if parameter.grad is not None:
            recorder.storages.name(parameter.grad, "gradients")
    recorder.storages.close()
    for parameter in built.model.parameters():
        parameter.grad = None
    return held
