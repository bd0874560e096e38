"""The memory of a job as a function of the batch alone: everything that does not depend on where it runs.

Allocated bytes are replayed exactly. What the caching allocator adds (remainders it does not split off, free pieces
between live blocks, segments it keeps) is simulated at a few batches and carried to the others in proportion to the
allocated bytes; simulated at every batch it would be dearer and would jump up and down with the batch, by luck of the
sizes.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from outboard.perf.memory import workspaces
from outboard.perf.memory.allocator import simulate
from outboard.perf.memory.coefficients import coefficient
from outboard.perf.memory.events import two_steps
from outboard.perf.memory.replay import LARGEST_BATCH, Replay, replay
from outboard.perf.memory.sharing import shared
from outboard.perf.memory.timeline import Timeline, accumulates, recorded, steady_state, with_evaluation
from outboard.types.trace import FloatArray, Trace

if TYPE_CHECKING:
    from outboard.types.job import Job

# Where the allocator is simulated, in allocated bytes beside batch 1: a small card and a large one.
REFERENCE_BYTES = (20e9, 6e9)
# Events that may be simulated in all: a long trace gets fewer batches, so that the first answer stays quick.
EVENT_BUDGET = 24_000


@dataclass(frozen=True)
class Overhead:
    """Bytes beyond the allocated ones: ``constant + fraction * allocated``, between ``low`` and ``high`` times that.

    ``low`` and ``high`` [1] are how far the simulated points lie off the line.
    """

    constant: float
    fraction: float
    low: float
    high: float

    def at(self, allocated: FloatArray) -> FloatArray:
        """The overhead [B] for each of ``allocated`` [B]."""
        return self.constant + self.fraction * allocated


# Segments that grow and shrink by pages of 2 MiB: what is free within them can be joined, so little is lost (assumed).
EXPANDABLE = Overhead(constant=20e6, fraction=0.005, low=0.0, high=6.0)


@dataclass(frozen=True)
class MemoryModel:
    """Replays at the low end, value and high end of the operators' workspaces, and the allocator's overheads."""

    low: Replay
    value: Replay
    high: Replay
    unsplit: Overhead  # what blocks have beyond the request because they were not worth splitting
    in_use: Overhead  # what segments with a block in use have beyond that
    kept: Overhead  # what all segments have beyond that
    reference_batches: tuple[int, ...]
    doubt: float  # share by which allocated bytes may be off either way [1]


def memory_model(job: Job, trace: Trace, count: int = 1) -> MemoryModel:
    """The model of ``job`` on one of ``count`` devices that share it, built once for each trace and each set of the
    job's options that matter to memory.
    """
    key = (id(trace), count, *_habits(job))
    known = _models.get(key)
    if known is not None and known[0]() is trace:
        return known[1]
    model = _build(job, trace, count)
    _models[key] = (weakref.ref(trace, lambda _gone: _models.pop(key, None) and None), model)
    return model


_models: dict[tuple[object, ...], tuple[weakref.ref[Trace], MemoryModel]] = {}


def _habits(job: Job) -> tuple[object, ...]:
    return (
        job.task,
        job.memory_format,
        accumulates(job),
        loop_unstated(job),
        job.input_copy == "overlapped",
        job.input_type,
        job.gradients_released,
        job.output_held,
        job.parallel,
        job.offload,
        job.grad_accumulation if job.parallel == "pipeline" else None,
        job.precision,
        job.optimizer,
        job.allocator,
        job.compiled,
        job.evaluate_every is not None,
        job.evaluate_batch,
        job.software,
    )


def loop_unstated(job: Job) -> bool:
    """Whether nobody said when gradients are released: the low end is then that of the loop that needs least."""
    return job.task != "infer" and job.grad_accumulation == 1 and "gradients_released" not in job.model_fields_set


def _build(job: Job, trace: Trace, count: int) -> MemoryModel:
    bounds = (workspaces.low, workspaces.value, workspaces.high)
    lines = [
        shared(job, trace, recorded(job, trace, workspaces.transients(job, trace, bound)), count, bound)
        for bound in bounds
    ]
    least = job.model_copy(update={"gradients_released": "before-forward"}) if loop_unstated(job) else job
    low, value, high = (
        replay(with_evaluation(habits, trace, steady_state(habits, line)))
        for habits, line in zip((least, job, job), lines, strict=True)
    )
    unsplit, in_use, kept, batches = _overheads(job, lines[1], value)
    if job.allocator == "expandable":
        in_use, kept = EXPANDABLE, EXPANDABLE
    return MemoryModel(low, value, high, unsplit, in_use, kept, batches, residual(job, trace))


def residual(job: Job, trace: Trace) -> float:
    """Share by which allocated bytes may be off: the trace's own misfit, and what published measurements left [1]."""
    compiled = job.compiled and job.task != "infer"
    causes = ["allocated", *["compiled"] * compiled, *["old_software"] * (job.software == "torch-1")]
    return float(trace.not_affine_error) + sum(workspaces.high(coefficient("residual", cause)) for cause in causes)


def _overheads(job: Job, line: Timeline, value: Replay) -> tuple[Overhead, Overhead, Overhead, tuple[int, ...]]:
    """Overheads of blocks, of segments in use and of all segments, and the batches they were simulated at."""
    events, tensor = two_steps(job, line)
    order = events.tolist()
    batches = _reference_batches(value, max(2, EVENT_BUDGET // max(len(order), 1)))
    points: list[tuple[int, int, int]] = []
    for batch in batches:
        size = np.rint(line.constant + line.per_batch * batch).astype(np.int64)[tensor]
        result = simulate(order, size.tolist())
        points.append((result.allocated_peak, result.unreleasable_peak, result.reserved_peak))
    allocated, in_use, kept = np.array(points, dtype=np.float64).T
    base = value.allocated(np.array(batches, dtype=np.float64))
    extras = (allocated - base, in_use - allocated, kept - allocated)
    unsplit, segments, cached = (_overhead(base, np.maximum(extra, 0.0)) for extra in extras)
    return unsplit, segments, cached, batches


def _reference_batches(value: Replay, most: int) -> tuple[int, ...]:
    """Batch 1 and those that make the job as large as each of REFERENCE_BYTES, at least two and ``most`` of them."""
    first, second = value.allocated(np.array([1.0, 257.0]))
    slope = max((second - first) / 256, 1.0)
    wanted = [1, *(1 + int(min(max(size - first, 0.0) / slope, LARGEST_BATCH - 1)) for size in REFERENCE_BYTES)]
    batches = tuple(dict.fromkeys(wanted))[:most]
    return batches if len(batches) > 1 else (1, 2)


def _overhead(base: FloatArray, extra: FloatArray) -> Overhead:
    """A line that never falls with ``base``, through the simulated points as well as that allows.

    Least squares with weights 1 / base, for the error that matters is relative to the job's size.
    """
    constant, fraction = _rising_line(base, extra, 1.0 / np.maximum(base, 1.0))
    line = constant + fraction * base
    ratio = np.divide(extra, line, out=np.ones_like(extra), where=line > 0)
    return Overhead(constant, fraction, min(float(ratio.min()), 1.0), max(float(ratio.max()), 1.0))


def _rising_line(x: FloatArray, y: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """``(constant, slope)``, neither below zero, of the weighted least-squares line through ``(x, y)``."""
    total = weight.sum()
    x_mean, y_mean = float((weight * x).sum() / total), float((weight * y).sum() / total)
    spread = float((weight * (x - x_mean) ** 2).sum())
    slope = float((weight * (x - x_mean) * (y - y_mean)).sum()) / spread if spread > 0 else 0.0
    constant = y_mean - slope * x_mean
    if slope < 0:
        return y_mean, 0.0
    if constant < 0:
        return 0.0, float((weight * x * y).sum() / (weight * x * x).sum())
    return constant, slope
