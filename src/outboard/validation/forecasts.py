"""Which forecast answers which quantity. A quantity that is missing here is not covered, and the table says so.

Rates of serving have their own place, ``serving``: they need no trace.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from outboard.i18n import _
from outboard.perf.estimate import estimate
from outboard.perf.memory import memory_estimate
from outboard.perf.time import step_estimate
from outboard.types.estimate import StepEstimate, Term
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace

if TYPE_CHECKING:
    from outboard.validation.cases import Case

Forecast = Callable[["Case", Job, Trace, Place], Term]

# What ``memory_kind`` says was measured -> the term of the memory estimate that forecasts it.
MEMORY = {"allocated": "peak", "reserved": "reserved", "device": "required"}


class UnknownForecastError(Exception):
    """There is no number, and why; never leaves this package."""


def throughput(case: "Case", job: Job, trace: Trace, place: Place) -> Term:
    """Samples per second of all devices, or tokens per second [1/s]."""
    term = _step(job, trace, place).throughput
    if case.measurement.si_unit != "tokens/s":
        return term
    if not trace.info.tokens_per_sample:
        raise UnknownForecastError(_("this model counts no tokens"))
    return _scaled(term, float(trace.info.tokens_per_sample), "tokens/s")


def step_time(case: "Case", job: Job, trace: Trace, place: Place) -> Term:
    """Seconds of one step [s]."""
    return _step(job, trace, place).seconds


def peak_memory(case: "Case", job: Job, trace: Trace, place: Place) -> Term:
    """Bytes on one device, of the kind that was measured [B]."""
    assert isinstance(job.batch_size, int)
    return getattr(memory_estimate(job, trace, job.batch_size, place), MEMORY[case.memory_kind])


FORECASTS: dict[str, Forecast] = {"throughput": throughput, "step_time": step_time, "peak_memory": peak_memory}


def _step(job: Job, trace: Trace, place: Place) -> StepEstimate:
    """The step as ``outboard estimate`` has it; memory, which takes longer, is asked for only to choose a batch."""
    if job.batch_size == "auto":
        return estimate(job, trace, place).step
    return step_estimate(job, trace, job.batch_size, place)


def _scaled(term: Term, factor: float, unit: str) -> Term:
    def times(value: float | None) -> float | None:
        return None if value is None else value * factor

    return Term(
        term.name,
        times(term.value),
        unit,
        term.source,
        term.evidence,
        times(term.low),
        times(term.high),
        term.formula,
        term.note,
    )
