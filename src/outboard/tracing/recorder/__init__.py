"""Job to raw steps: one training or inference step, executed on the CPU with fake tensors as CUDA would execute it."""

from collections.abc import Sequence

from outboard.tracing.raw import RawStep
from outboard.tracing.recorder.quiet import quiet
from outboard.tracing.sources import build, require_torch, split
from outboard.tracing.sources.base import Built
from outboard.tracing.sources.lean import no_compiler
from outboard.types.job import Job


def record(job: Job, batch: int) -> RawStep:
    """One step of ``job`` at ``batch``."""
    return record_steps(job, [batch])[0]


def record_steps(job: Job, batches: Sequence[int]) -> list[RawStep]:
    """One step at each of ``batches``; the model is built once."""
    split(job.workload)
    require_torch()
    with quiet():
        return record_built(build(job), job, batches)


def record_built(built: Built, job: Job, batches: Sequence[int]) -> list[RawStep]:
    """The same for a model that is built already. Its weights are replaced by fake tensors."""
    from outboard.tracing.recorder.session import record_session

    with quiet():
        try:
            with no_compiler():
                return record_session(built, job, batches)
        except ModuleNotFoundError:  # a part of the compiler that its stand-in lacks
            return record_session(built, job, batches)
