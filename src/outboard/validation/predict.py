"""The product's own forecast of each case: one trace serves all rows of a model, and batches of rows share it."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from outboard.errors import MissingExtraError, OutboardError
from outboard.i18n import _
from outboard.tracing import attach, detach
from outboard.tracing import trace as record
from outboard.tracing.cache import RECORDED_FIELDS
from outboard.types.estimate import Term
from outboard.types.job import Job
from outboard.types.trace import Trace
from outboard.validation.cases import Case
from outboard.validation.forecasts import FORECASTS, UnknownForecastError
from outboard.validation.journal import Journal
from outboard.validation.processes import in_processes

# Gives the trace of a job, with its optimizer; None, or an OutboardError, where there is none.
Traces = Callable[[Job], Trace | None]
Done = Callable[[int], None]  # told how many rows have just been finished


@dataclass(frozen=True)
class Outcome:
    """The forecast in SI with its 80 % band, or the reason why there is none."""

    forecast: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    lasting: bool = True  # False: the next run may do better, for want of a library or of memory here


@dataclass(frozen=True)
class Prediction:
    """A case and its outcome; what is unknown is None."""

    case: Case
    outcome: Outcome

    @property
    def covered(self) -> bool:
        """Whether there is a forecast."""
        return self.outcome.forecast is not None

    @property
    def error(self) -> float | None:
        """(forecast − measured) / measured [1]."""
        if self.outcome.forecast is None:
            return None
        return self.outcome.forecast / self.case.measurement.value - 1.0

    @property
    def inside(self) -> bool | None:
        """Whether the measurement lies in the 80 % band; None without a band."""
        if self.outcome.low is None or self.outcome.high is None:
            return None
        return self.outcome.low <= self.case.measurement.value <= self.outcome.high


def predict(
    cases: Sequence[Case],
    traces: Traces = record,
    *,
    processes: int = 1,
    journal: Journal | None = None,
    done: Done = lambda count: None,
    language: str = "en",
) -> list[Prediction]:
    """Forecast every case, in their order.

    ``traces`` gives the trace of a job; by default it is recorded, or taken from the cache of traces. With several
    ``processes`` it must be picklable. ``journal`` keeps outcomes, so that a run that was interrupted carries on.
    """
    outcomes = {index: Outcome(reason=case.reason) for index, case in enumerate(cases) if case.reason}
    outcomes |= {index: _told(case.term) for index, case in enumerate(cases) if case.term is not None}
    if journal is not None:
        known = {index: journal.get(cases[index]) for index in range(len(cases)) if index not in outcomes}
        outcomes |= {index: found for index, found in known.items() if found is not None}
    done(len(outcomes))
    left = _by_trace(cases, [index for index in range(len(cases)) if index not in outcomes])
    for indices, found in _run(
        [(indices, [cases[i] for i in indices]) for indices in left], traces, processes, language
    ):
        outcomes |= dict(zip(indices, found, strict=True))
        if journal is not None:
            journal.put([(cases[index], outcomes[index]) for index in indices])
        done(len(indices))
    return [Prediction(case, outcomes[index]) for index, case in enumerate(cases)]


def _by_trace(cases: Sequence[Case], indices: Sequence[int]) -> list[list[int]]:
    """The cases that share a trace, in the order of the first of each."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for index in indices:
        case = cases[index]
        key = (*[getattr(case.job, name) for name in RECORDED_FIELDS], case.job and case.job.optimizer, case.updates)
        groups.setdefault(key, []).append(index)
    return list(groups.values())


def _run(
    groups: Sequence[tuple[list[int], list[Case]]], traces: Traces, processes: int, language: str
) -> Iterator[tuple[list[int], list[Outcome]]]:
    if processes > 1 and len(groups) > 1:
        work = [(traces, cases) for _indices, cases in groups]
        for number, found in in_processes(outcomes_of, work, processes, language):
            yield groups[number][0], found
        return
    for indices, cases in groups:
        yield indices, outcomes_of(traces, cases)


def outcomes_of(traces: Traces, cases: Sequence[Case]) -> list[Outcome]:
    """The outcome of each of ``cases``, which share one trace."""
    job = cases[0].job
    assert job is not None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of libraries, about names that they have changed: no use here
            trace = traces(job)
    except OutboardError as problem:
        lasting = not isinstance(problem, MissingExtraError)
        return [Outcome(reason=str(problem), lasting=lasting)] * len(cases)
    except Exception as problem:  # whatever a model's own code raises: one model is no reason to lose all others
        text = " ".join(str(problem).split())[:200]
        message = _("tracing failed: {kind}: {text}").format(kind=type(problem).__name__, text=text)
        return [Outcome(reason=message, lasting=False)] * len(cases)
    if trace is None:
        return [Outcome(reason=_("there is no trace of it"), lasting=False)] * len(cases)
    if not cases[0].updates:
        trace = detach(trace)
    elif trace.info.optimizer != job.optimizer:
        trace = attach(trace, job.optimizer)
    return [_outcome(case, trace) for case in cases]


def _told(term: Term) -> Outcome:
    return Outcome(term.value, term.low, term.high) if term.value is not None else Outcome(reason=term.note)


def _outcome(case: Case, trace: Trace) -> Outcome:
    assert case.job is not None and case.place is not None
    try:
        term = FORECASTS[case.measurement.quantity](case, case.job, trace, case.place)
    except (OutboardError, UnknownForecastError) as problem:
        return Outcome(reason=str(problem))
    return _told(term)
