"""The allocations and frees of the first steps of a loop, in order, for the allocator model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from outboard.perf.memory.allocator import EMPTY
from outboard.perf.memory.timeline import INPUTS, OPTIMIZER, Timeline, accumulates, kept_gradients, steps_each
from outboard.types.trace import IntArray

if TYPE_CHECKING:
    from outboard.types.job import Job

STEPS = (
    2  # the second one is the first in the stride of the loop: gradients and optimizer states are there from the first
)


def two_steps(job: Job, line: Timeline) -> tuple[IntArray, IntArray]:
    """``(events, tensor)`` of two steps: events as :func:`allocator.simulate` takes them, the tensor behind each name.

    The first step is as recorded, except that optimizer states are made when the optimizer first runs; the second finds
    what the first one left, so that each storage gets the place in memory that it would have in reality.
    """
    kept = kept_gradients(line)
    stays = (line.birth < 0) & (line.death >= line.steps) & (line.category != INPUTS)
    states = stays & (line.category == OPTIMIZER)
    within = ~stays
    within[kept] = False
    length = line.steps + 3  # one position before the step, one after it, and one between steps
    parts = [
        _spans(np.flatnonzero(stays & ~states), 0, np.iinfo(np.int64).max),
        _spans(np.flatnonzero(states), 1 + line.optimizer, np.iinfo(np.int64).max),
    ]
    for step in range(STEPS):
        start = step * length
        tensor = np.flatnonzero(within)
        parts.append((tensor, start + 1 + line.birth[tensor], start + 1 + line.death[tensor]))
        parts.extend(_gradients(job, line, kept, start, length))
    tensor, birth, death = (np.concatenate([part[i] for part in parts]) for i in range(3))
    between = length - 1 if job.allocator == "emptied" else None
    return _ordered(birth, death, between), tensor


def _gradients(
    job: Job, line: Timeline, kept: IntArray, start: int, length: int
) -> list[tuple[IntArray, IntArray, IntArray]]:
    birth = start + 1 + line.birth[kept]
    if steps_each(job):
        return [(kept, birth, birth + 1)]
    if accumulates(job):
        # The first ones stay; later ones live until they have been added.
        forever = np.full(len(kept), np.iinfo(np.int64).max)
        return [(kept, birth, forever if start == 0 else birth + 1)]
    released = line.backward if job.gradients_released == "before-backward" else -1
    return [(kept, birth, np.full(len(kept), start + length + 1 + released))]


def _spans(tensor: IntArray, birth: int, death: int) -> tuple[IntArray, IntArray, IntArray]:
    return tensor, np.full(len(tensor), birth), np.full(len(tensor), death)


def _ordered(birth: IntArray, death: IntArray, emptied: int | None = None) -> IntArray:
    """Names in order of event; a free precedes the births at the same position. Zero-length lives are left out.

    ``emptied`` is the position after which the loop has the allocator give back what is free.
    """
    name = np.flatnonzero(death > birth)
    ends = name[death[name] < np.iinfo(np.int64).max]
    time = np.concatenate([death[ends], birth[name]])
    is_birth = np.concatenate([np.zeros(len(ends)), np.ones(len(name))])
    event = np.concatenate([~ends, name])
    if emptied is not None:
        time, is_birth, event = np.append(time, emptied), np.append(is_birth, 2.0), np.append(event, EMPTY)
    return event[np.lexsort((is_birth, time))]
