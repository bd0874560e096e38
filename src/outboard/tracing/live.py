"""Tracing a model with torch, or finding in the cache what was traced before."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from outboard.tracing import cache
from outboard.tracing.cache import RECORDED_FIELDS
from outboard.tracing.compiled import compiled_deaths
from outboard.tracing.evaluation import evaluation_peak
from outboard.tracing.fingerprint import recorder_hash
from outboard.tracing.merge import merge_steps
from outboard.types.job import ADAPTATION
from outboard.types.trace import Trace, TraceInfo

if TYPE_CHECKING:
    from outboard.tracing.raw import RawStep
    from outboard.tracing.sources.base import Built
    from outboard.types.job import Job

# Two to fit, one to check. Not 1, which shapes and broadcasts treat as special; a prime, which no other dimension
# equals.
BATCHES = (2, 4, 7)


def trace_live(job: "Job") -> Trace:
    """The trace of a job without its optimizer, from the cache if it is there.

    Raises :class:`~outboard.errors.MissingExtraError` without torch and :class:`~outboard.errors.JobError` if the model
    refuses the job.
    """
    name = cache.key(job)
    found = cache.get(name)
    if found is not None and lacks(found, job):
        found = None  # kept by a job that asked for less
    if found is None:
        found = _record_isolated(job) if job.workload.startswith("python:") else record_trace(job)
        cache.put(name, found)
    return found


def _record_isolated(job: "Job") -> Trace:
    # Imported on use: the child process runs that module, and must not find it imported by its own package.
    from outboard.tracing.isolated import record_isolated

    return record_isolated(job)


def record_trace(job: "Job") -> Trace:
    """Build the model, record it at each of ``BATCHES`` and merge; imports torch."""
    from outboard.tracing.recorder import record_built
    from outboard.tracing.sources import build

    built = build(job)
    steps = record_built(built, job, BATCHES)
    trace = merge_steps(steps, _info(job, built, steps))
    if compiles(job):
        lives = np.array(compiled_deaths(steps[-1]), np.int64)
        trace = replace(trace, tensors=replace(trace.tensors, compiled_death=lives))
    return replace(trace, evaluation=evaluation_peak(steps)) if evaluates(job) else trace


def compiles(job: "Job") -> bool:
    """Whether lifetimes after compilation are wanted: in inference little is kept either way."""
    return job.compiled and job.task != "infer"


def evaluates(job: "Job") -> bool:
    """Whether the peak of evaluation is wanted."""
    return job.evaluate_every is not None and job.task != "infer"


def lacks(trace: Trace, job: "Job") -> bool:
    """Whether ``trace`` was made for a job that asked for less than ``job`` does."""
    no_lives = compiles(job) and trace.tensors.compiled_death is None
    return no_lives or (evaluates(job) and trace.evaluation is None)


def _info(job: "Job", built: "Built", steps: "list[RawStep]") -> TraceInfo:
    return TraceInfo(
        workload=job.workload,
        task=job.task,
        precision=job.precision,
        optimizer=built.optimizer or "",
        image_size=built.image_size,
        seq_len=built.seq_len,
        memory_format=job.memory_format,
        attention=job.attention,
        grad_checkpointing=job.grad_checkpointing and job.task != "infer",
        unit=built.unit,
        tokens_per_sample=built.tokens_per_sample,
        traced_batches=tuple(step.batch for step in steps),
        versions={**built.versions, "recorder": recorder_hash()},
        command=_command(job),
        warnings=tuple(dict.fromkeys(warning for step in steps for warning in step.warnings)),
        adaptation=_adaptation(job),
    )


def _adaptation(job: "Job") -> "dict[str, str | int | float | bool]":
    fields = type(job).model_fields
    values = {name: getattr(job, name) for name in ADAPTATION}
    return {name: value for name, value in values.items() if value != fields[name].default}


def _command(job: "Job") -> str:
    """The command that traces the job again; options at their defaults are left out."""
    parts = ["outboard", "trace", job.workload]
    for name, field in type(job).model_fields.items():
        value = getattr(job, name)
        if name in RECORDED_FIELDS and name != "workload" and value != field.default:
            option = f"--{name.replace('_', '-')}"
            parts += [option] if value is True else [option, str(value)]
    return " ".join(parts)
