"""The memory of a job as a function of the batch alone: everything that does not depend on where it runs.

Allocated bytes are replayed exactly. What the caching allocator adds (remainders it does not split off, free pieces
between live blocks, segments it keeps) is simulated at a few batches and carried to the others in proportion to the
allocated bytes; simulated at every batch it would be dearer and would jump up and down with the batch, by luck of the
sizes.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from outboard.perf.memory import workspaces
from outboard.perf.memory.allocator import simulate
from outboard.perf.memory.events import two_steps
from outboard.perf.memory.replay import LARGEST_BATCH, Replay, replay
from outboard.perf.memory.timeline import Timeline, recorded, steady_state
from outboard.types.trace import FloatArray, Trace

if TYPE_CHECKING:
    from outboard.types.job import Job

# Where the allocator is simulated, in allocated bytes: a small and a large card.
REFERENCE_BYTES = (6e9, 20e9)


@dataclass(frozen=True)
class Overhead:
    """Bytes beyond the allocated ones, ``constant + fraction * allocated``; ``low`` to ``high`` by ``spread`` [1]."""

    constant: float
    fraction: float
    low: float
    high: float

    def at(self, allocated: FloatArray) -> FloatArray:
        """The overhead [B] for each of ``allocated`` [B]."""
        return self.constant + self.fraction * allocated


@dataclass(frozen=True)
class MemoryModel:
    """Replays at the low end, value and high end of the operators' workspaces, and the allocator's overheads."""

    low: Replay
    value: Replay
    high: Replay
    unsplit: Overhead  # what blocks have beyond the request because they were not worth splitting
    unreleasable: Overhead  # what segments in use have beyond that
    cached: Overhead  # what the allocator keeps beyond that
    reference_batches: tuple[int, ...]


def memory_model(job: Job, trace: Trace) -> MemoryModel:
    """The model of ``job``, built once for each trace and each set of the job's options that matter to memory."""
    key = (id(trace), *_habits(job))
    known = _models.get(key)
    if known is not None and known[0]() is trace:
        return known[1]
    model = _build(job, trace)
    _models[key] = (weakref.ref(trace, lambda _gone: _models.pop(key, None) and None), model)
    return model


_models: dict[tuple[object, ...], tuple[weakref.ref[Trace], MemoryModel]] = {}


def _habits(job: Job) -> tuple[object, ...]:
    return (
        job.task,
        job.memory_format,
        job.grad_accumulation > 1,
        job.input_copy == "overlapped",
        job.input_type,
        job.gradients_released,
        job.output_held,
    )


def _build(job: Job, trace: Trace) -> MemoryModel:
    bounds = (workspaces.low, workspaces.value, workspaces.high)
    lines = [recorded(job, trace, workspaces.transients(job, trace, bound)) for bound in bounds]
    low, value, high = (replay(steady_state(job, line)) for line in lines)
    batches = _reference_batches(value)
    unsplit, unreleasable, cached = _overheads(job, lines[1], value, batches)
    return MemoryModel(low, value, high, unsplit, unreleasable, cached, tuple(batches))


def _reference_batches(value: Replay) -> list[int]:
    """Batches that make the job as large as each of REFERENCE_BYTES, or batch 1 where it is larger already."""
    first, second = value.allocated(np.array([1.0, 257.0]))
    slope = max((second - first) / 256, 1.0)
    wanted = [1 + max(0.0, (size - first) / slope) for size in REFERENCE_BYTES]
    batches = sorted({int(min(batch, LARGEST_BATCH)) for batch in wanted})
    return batches if len(batches) > 1 else [batches[0], batches[0] + 1]


def _overheads(job: Job, line: Timeline, value: Replay, batches: Sequence[int]) -> tuple[Overhead, Overhead, Overhead]:
    events, tensor = two_steps(job, line)
    order = events.tolist()
    points: list[tuple[int, int, int]] = []
    for batch in batches:
        size = np.rint(line.constant + line.per_batch * batch).astype(np.int64)[tensor]
        result = simulate(order, size.tolist())
        points.append((result.allocated_peak, result.unreleasable_peak, result.reserved_peak))
    measured = np.array(points, dtype=np.float64)
    base = value.allocated(np.array(batches, dtype=np.float64))
    columns = np.diff(np.column_stack([base, measured]), axis=1)
    unsplit, unreleasable, cached = (_overhead(base, np.maximum(column, 0.0)) for column in columns.T)
    return unsplit, unreleasable, cached


def _overhead(base: FloatArray, extra: FloatArray) -> Overhead:
    """A line that never falls with ``base``, through the simulated points as well as that allows."""
    if not base.any():
        return Overhead(0.0, 0.0, 1.0, 1.0)
    fraction = float(extra.sum() / base.sum())
    line = fraction * base
    ratio = np.divide(extra, line, out=np.ones_like(extra), where=line > 0)
    return Overhead(0.0, fraction, min(float(ratio.min()), 1.0), max(float(ratio.max()), 1.0))
