"""Measurements as the fit and the judge share them: operators on one device, and the seconds they took together."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from outboard.perf.time import launch
from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.columns import Columns
from outboard.perf.time.kernels import classes
from outboard.perf.time.places import DeviceArrays
from outboard.types.trace import FloatArray, IntArray

# What timing one operator between two events adds, and the least that it can show: a straight line through the
# latencies of relu against bytes, all four GPUs alike [s].
EVENT_OVERHEAD = 15e-6


@dataclass(frozen=True)
class Observations:
    """N measurements on one device. Row r of ``cols`` (one batch each) belongs to measurement ``owner[r]``.

    ``labels`` say what each is (for reports and for holding out), ``processor`` and ``extra`` how its launches count.
    """

    device: DeviceArrays
    cols: Columns
    owner: IntArray
    measured: FloatArray  # [s]
    labels: tuple[dict[str, str], ...]
    compiled: NDArray[np.bool_]
    training: NDArray[np.bool_]
    # Operators timed alone: what the timing itself adds, and the least it can show [s].
    alone: bool = False

    def __len__(self) -> int:
        return len(self.measured)

    def take(self, chosen: NDArray[np.bool_]) -> "Observations":
        """Some of the measurements, with their rows."""
        index = np.cumsum(chosen) - 1
        rows = chosen[self.owner]
        return Observations(
            self.device,
            self.cols.take(rows),
            index[self.owner[rows]],
            self.measured[chosen],
            tuple(label for label, keep in zip(self.labels, chosen, strict=True) if keep),
            self.compiled[chosen],
            self.training[chosen],
            self.alone,
        )


def join_columns(tables: Sequence[Columns]) -> Columns:
    """All rows of several traces, one batch each."""
    return Columns(*[np.concatenate([getattr(table, item.name) for table in tables]) for item in fields(Columns)])


def row_seconds(cols: Columns, device: DeviceArrays, c: Coefficients) -> FloatArray:
    """Seconds of one operator of each row on a single device, without launch, shape (R,)."""
    seconds = np.zeros(len(cols))
    for part in classes(cols):
        seconds[part.rows] = part.seconds(device, c)[0][0, :, 0]
    return seconds


def forecast(seen: Observations, c: Coefficients) -> FloatArray:
    """Seconds of each measurement as the model has them, shape (N,)."""
    if seen.alone:
        # Nothing of an operator's data lies in the cache when no other operator ran before it.
        cold = c.with_values({"l2_residency": 0.0})
        return row_seconds(seen.cols, seen.device, cold) + c.kernel_floor + EVENT_OVERHEAD
    seconds = row_seconds(seen.cols, seen.device, c)
    count = len(seen)
    cols = seen.cols
    device = np.bincount(seen.owner, cols.count * (seconds + c.kernel_floor * cols.kernels), count)
    issue = np.bincount(
        seen.owner,
        cols.count * launch.issue_per_operator(cols, seen.compiled[seen.owner], seen.training[seen.owner], c),
        count,
    )
    return device + launch.exposed(device, issue) + c.step_overhead


def log_errors(seen: Observations, c: Coefficients) -> FloatArray:
    """ln(forecast/measured) of each measurement, shape (N,)."""
    return np.log(forecast(seen, c) / seen.measured)
