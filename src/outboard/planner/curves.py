"""Memory against what a job can be made larger by, and the largest relative of its model that fits."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from outboard.errors import OutboardError
from outboard.perf.memory import required_bytes, safe_max_batch
from outboard.planner.remedies import Retrace
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace

SHORTEST, LONGEST = 128, 1 << 17  # tokens between which lengths are tried, doubling
BEYOND = 2  # points that are shown although they no longer fit
Shown = Callable[[str], None]


@dataclass(frozen=True)
class Point:
    """What must be free at one size, with its band [B]."""

    size: int  # samples in a batch, or tokens in a sequence
    low: float
    required: float
    high: float
    fits: bool


@dataclass(frozen=True)
class Relative:
    """A model of the same family that was tried."""

    workload: str
    parameters: int
    required: float  # [B]
    fits: bool


def by_batch(job: Job, trace: Trace, place: Place) -> list[Point]:
    """Memory at batches of powers of two, as far as a little beyond what fits."""
    safe = int(safe_max_batch(job, trace, [place])[0])
    sizes = [1]
    while sizes[-1] <= safe * 2**BEYOND and len(sizes) < 21:
        sizes.append(2 * sizes[-1])
    return _points(job, trace, place, sizes)


def by_length(job: Job, place: Place, batch: int, retrace: Retrace) -> list[Point]:
    """Memory at lengths of powers of two, each recorded, until it does not fit or the model reads no longer ones."""
    found: list[Point] = []
    length = SHORTEST
    while length <= LONGEST and sum(not point.fits for point in found) < BEYOND:
        changed = job.model_copy(update={"seq_len": length})
        try:
            point = _points(changed, retrace(changed), place, [batch])[0]
        except OutboardError:
            break
        found.append(Point(length, point.low, point.required, point.high, point.fits))
        length *= 2
    return found


def relatives(job: Job, place: Place, batch: int, names: Iterable[str], retrace: Retrace) -> list[Relative]:
    """The models of ``names`` at ``place``, smallest first; one that cannot be recorded as the job asks is left out."""
    found: list[Relative] = []
    for name in names:
        changed = job.model_copy(update={"workload": name})
        try:
            trace = retrace(changed)
        except OutboardError:
            continue
        point = _points(changed, trace, place, [batch])[0]
        found.append(Relative(name, trace.parameter_count(), point.required, point.fits))
    return sorted(found, key=lambda one: one.parameters)


def _points(job: Job, trace: Trace, place: Place, sizes: list[int]) -> list[Point]:
    found = required_bytes(job, trace, np.array(sizes, dtype=np.float64), [place])
    ends = (found.required.low[0], found.required.value[0], found.required.high[0])
    return [
        Point(size, float(low), float(value), float(high), bool(high <= found.available[0]))
        for size, low, value, high in zip(sizes, *ends, strict=True)
    ]
