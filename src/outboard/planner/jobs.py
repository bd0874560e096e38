"""Reads job files: what is computed, how much of it, how often."""

import math
from dataclasses import dataclass
from pathlib import Path

from outboard.errors import FileError
from outboard.i18n import _
from outboard.planner import files
from outboard.planner.circumstances import Circumstances, hours_of
from outboard.planner.hours import PREFIX, StatedHours, read_hours
from outboard.planner.serving.service import DAYS_PER_MONTH, Service, read_service
from outboard.types.job import JobFile

WEEKS_PER_MONTH = 52.0 / 12.0


@dataclass(frozen=True)
class Asked:
    """A job file, read and checked."""

    path: str
    name: str
    said: JobFile
    stated: StatedHours | None  # for workloads of ``hours:``
    service: Service | None = None  # of the task ``serve``

    @property
    def samples(self) -> float:
        """How many samples one run passes through the model."""
        return self.said.data.samples * self.said.data.epochs if self.said.data else 0.0

    @property
    def data_bytes(self) -> float | None:
        """How large the data is [B], None where nobody said."""
        data = self.said.data
        return data.samples * data.bytes_per_sample if data and data.bytes_per_sample else None

    def runs_per_month(self, me: Circumstances) -> float:
        """How often it runs; a job that says nothing runs once in the horizon."""
        repeat = self.said.repeat
        if repeat.runs_per_month is not None:
            return repeat.runs_per_month
        if repeat.runs_per_week is not None:
            return repeat.runs_per_week * WEEKS_PER_MONTH
        if self.service is not None and repeat.runs is None:
            return DAYS_PER_MONTH
        return me.per_month(1.0 if repeat.runs is None else repeat.runs)

    def once(self) -> bool:
        """Whether it runs a single time."""
        repeat = self.said.repeat
        if self.service is not None:
            return False
        return repeat.runs_per_month is None and repeat.runs_per_week is None and (repeat.runs or 1.0) <= 1.0

    def deadline(self, me: Circumstances) -> float:
        """From start to result [h]: what the job says, else what the situation says. A service has no result."""
        if self.service is not None:
            return math.inf
        return me.deadline if self.said.deadline is None else hours_of(self.said.deadline, "deadline", self.path)


def load(path: str | Path) -> Asked:
    """Read a job file. Raises :class:`FileError` for whatever is wrong with it."""
    return resolve(files.read(path, JobFile), str(path))


def resolve(said: JobFile, path: str = "job") -> Asked:
    """Check what the file says against itself."""
    stated = read_hours(said.workload, path) if said.workload.startswith(PREFIX) else None
    service = read_service(said, path)
    if stated is None and service is None and said.data is None:
        right = _("write it like '{example}'").format(example="{samples: 1281167, epochs: 90}")
        raise FileError(path, _("is missing: without it nobody knows how long the job is"), "data", right)
    if stated is None and said.memory is not None:
        raise FileError(path, _("is forecast from the model; only workloads of hours: state it"), "memory")
    hours_of(said.deadline, "deadline", path)
    return Asked(path, said.name or _named_after(path), said, stated, service)


def _named_after(path: str) -> str:
    name = Path(path).name.removesuffix(".yaml").removesuffix(".yml")
    return name or "job"


def weekly(runs_per_month: float, hours: float) -> float:
    """Hours a week of a job that takes ``hours``.

    >>> round(weekly(52 / 12, 3.0), 6)
    3.0
    """
    return runs_per_month / WEEKS_PER_MONTH * hours if math.isfinite(hours) else math.inf
