"""What was forecast for what was measured, with the bands, and what others would have said."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from accuracy import baselines
from accuracy.subjects import Subject
from outboard.perf.time import PlaceArrays, replay
from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.spread import step_causes
from outboard.uncertainty import band


@dataclass(frozen=True)
class Score:
    """One row of a set. Seconds of the step, or of the operator; ``others`` by the name of the method."""

    id: str
    what: str
    gpu: str
    group: str
    measured: float
    forecast: float
    low: float
    high: float
    others: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def error(self) -> float:
        """(forecast - measured) / measured [1]."""
        return self.forecast / self.measured - 1.0

    @property
    def inside(self) -> bool:
        """Whether the measurement lies in the stated 80 % band."""
        return self.low <= self.measured <= self.high


@dataclass(frozen=True)
class Errors:
    """Of some scores together; ratios [1]."""

    rows: int
    median: float
    p90: float
    bias: float
    inside: float


def errors(scores: Sequence[Score], method: str = "") -> Errors:
    """The errors of the forecasts, or of another ``method``."""
    said = np.array([one.others.get(method, np.nan) if method else one.forecast for one in scores])
    relative = said / np.array([one.measured for one in scores]) - 1.0
    inside = float(np.mean([one.inside for one in scores])) if not method else float("nan")
    size = np.abs(relative)
    return Errors(
        len(scores), float(np.median(size)), float(np.quantile(size, 0.9)), float(np.median(relative)), inside
    )


def score(subjects: Iterable[Subject], c: Coefficients, unseen: bool = False) -> list[Score]:
    """Forecast ``subjects`` with ``c``. ``unseen``: the bands are those of an architecture that no fit has seen."""
    return [_score(one, c, unseen) for one in subjects]


def _score(one: Subject, c: Coefficients, unseen: bool) -> Score:
    places = PlaceArrays.of([one.place], c)
    step = replay(one.job, one.trace, np.array([float(one.batch)]), places, c)
    total = float(step.total[0, 0])
    device = replace(one.place.device, architecture="left out") if unseen else one.place.device
    spread = band(total, step_causes(one.job, one.trace, replace(one.place, device=device), step))
    return Score(
        id=one.case.measurement.id,
        what=f"{one.case.measurement.workload}, {one.job.task}, {one.job.precision}, batch {one.batch}",
        gpu=one.gpu,
        group=_group(one),
        measured=one.seconds,
        forecast=total,
        low=spread.low,
        high=spread.high,
        others=baselines.of_step(one.job, one.trace, one.batch, one.place.device),
    )


def _group(one: Subject) -> str:
    mode = "compiled" if one.job.compiled else "eager"
    return f"{one.gpu} {one.job.task} {one.job.precision} {one.job.memory_format} {mode}"
