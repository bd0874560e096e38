"""The surroundings of a recording: fake tensors, and operators that behave as on CUDA."""

from collections.abc import Sequence

from outboard.errors import JobError, OutboardError
from outboard.i18n import _
from outboard.tracing.raw import RawStep
from outboard.tracing.recorder.cuda import as_on_cuda
from outboard.tracing.recorder.prepare import prepare
from outboard.tracing.recorder.runner import Runner
from outboard.tracing.recorder.step import run_step
from outboard.tracing.sources.base import Built
from outboard.types.job import Job


def record_session(built: Built, job: Job, batches: Sequence[int]) -> list[RawStep]:
    """Record one step of a built model at each batch size."""
    runner = Runner()
    prepare(built, job, runner)
    steps: list[RawStep] = []
    try:
        with as_on_cuda(job), built.around(), runner.mode:
            steps.extend(run_step(built, job, batch, runner) for batch in batches)
            if len(steps) > 1 and _names(steps[0]) != _names(steps[1]):
                # Some models compute tables when they are first called, and keep them.
                steps[0] = run_step(built, job, batches[0], runner)
    except (OutboardError, ModuleNotFoundError):
        raise
    except Exception as error:
        raise JobError(_refusal(built, job, error)) from error
    return steps


def _names(step: RawStep) -> list[str]:
    return [operator.name for operator in step.operators]


def _refusal(built: Built, job: Job, error: Exception) -> str:
    reason = (str(error) or type(error).__name__).strip().splitlines()[0]
    message = _("{workload} refuses this job: {reason}").format(workload=job.workload, reason=reason)
    if built.default_size and job.image_size is not None:
        message += "; " + _("its own image size is {size}").format(size=built.default_size)
    return message
