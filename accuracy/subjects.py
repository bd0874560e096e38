"""Measured steps with what is needed to forecast them: the published rows, their jobs, places and traces."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from accuracy import vision
from outboard.errors import OutboardError
from outboard.tracing import detach
from outboard.tracing import trace as record
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace
from outboard.validation import Case, prepare, read

Traces = Callable[[Job], Trace | None]


@dataclass(frozen=True)
class Subject:
    """One measured step."""

    case: Case
    job: Job
    place: Place
    trace: Trace
    batch: int  # per device
    seconds: float  # measured, of one step [s]

    @property
    def gpu(self) -> str:
        """The id of the device."""
        return self.place.device.id

    @property
    def family(self) -> str:
        """The family of the model, which is held out as one."""
        return self.case.labels["family"]


def load(table: Path, traces: Traces) -> Iterator[Subject]:
    """Yield the rows of ``table`` on a single device that can be forecast; a row without a trace is left out."""
    for case in prepare(read(table)):
        job, place = case.job, case.place
        if job is None or place is None or place.count > 1 or not isinstance(job.batch_size, int):
            continue
        found = traces(job)
        if found is None:
            continue
        value = case.measurement.value
        seconds = value if case.measurement.quantity == "step_time" else job.batch_size / value
        yield Subject(case, job, place, found if case.updates else detach(found), job.batch_size, seconds)


def timm(folder: Path, models: int, cache_folder: Path) -> list[Subject]:
    """Rows of PyTorch image models whose traces lie in ``cache_folder``: ``models`` models, drawn by hash."""
    chosen = {row.job.workload for row in vision.sample(vision.rows(folder), models)}
    stored: dict[tuple[object, ...], Trace | None] = {}

    def traced(job: Job) -> Trace | None:
        if job.workload not in chosen:
            return None
        key = (job.workload, job.task, job.image_size, job.memory_format, job.attention)
        if key not in stored:
            stored[key] = vision.trace_of(job, cache_folder, make=False)
        return stored[key]

    return list(load(folder / "vision_throughput.csv", traced))


def others(table: Path) -> list[Subject]:
    """Rows of another table; its models are recorded now, or taken from the cache of traces."""
    return list(load(table, _recorded))


@cache
def _by_settings(settings: str) -> Trace | None:
    try:
        return record(Job.model_validate_json(settings))
    except OutboardError:
        return None


def _recorded(job: Job) -> Trace | None:
    return _by_settings(job.model_copy(update={"batch_size": "auto"}).model_dump_json(exclude_unset=True))


def by_gpu(subjects: Iterable[Subject]) -> dict[str, list[Subject]]:
    """The subjects of each device."""
    found: dict[str, list[Subject]] = {}
    for one in subjects:
        found.setdefault(one.gpu, []).append(one)
    return found
