"""The forecasts that one question is answered with."""

from dataclasses import dataclass

from outboard.planner.pictures.sensitivity import Sensitivity
from outboard.types.estimate import Estimate
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace


@dataclass(frozen=True)
class Fit:
    """The forecasts of all places, best first, and of the place in sight; with what its link does to it."""

    job: Job
    trace: Trace
    estimates: tuple[Estimate, ...]
    here: Estimate
    place: Place
    link: Sensitivity | None  # None where the rate is unknown

    @property
    def rate(self) -> float | None:
        """Of the place in sight [samples/s]."""
        return self.here.step.throughput.value
