"""How far a job can grow before it no longer fits: the longest sequence at a batch."""

from dataclasses import dataclass

import numpy as np

from outboard.errors import OutboardError
from outboard.perf.memory import required_bytes
from outboard.planner.remedies import Retrace
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace

GRAIN = 64  # answers are multiples of so many tokens
LONGEST = 1 << 20
REFINEMENTS = 4  # recordings between the longest that fits and the shortest that does not


@dataclass(frozen=True)
class Longest:
    """The longest sequence found to fit [tokens], 0 for none; ``bounded`` where the model reads no longer one."""

    tokens: int
    bounded: bool


def longest_sequence(job: Job, trace: Trace, place: Place, batch: int, retrace: Retrace) -> Longest:
    """The longest sequence whose required bytes fit with their high end, verified by a recording of its own.

    Memory need not be a line in the length (attention without fused kernels is a square), so lengths are doubled or
    halved until one fits and one does not, and what lies between is narrowed by the line through the two.
    """
    length = trace.info.seq_len or GRAIN
    room = _room(job, trace, place, batch)
    short, long = (length, room), (length, room)
    while long[1] >= 0:
        if long[0] * 2 > LONGEST:
            return Longest(long[0], bounded=True)
        short = long
        tried = _tried(job, place, batch, retrace, long[0] * 2)
        if tried is None:
            return Longest(short[0], bounded=True)
        long = (long[0] * 2, tried)
    while short[1] < 0:
        if short[0] // 2 < GRAIN:
            return Longest(0, bounded=False)
        long = short
        tried = _tried(job, place, batch, retrace, short[0] // 2)
        if tried is None:
            return Longest(0, bounded=False)
        short = (short[0] // 2, tried)
    for _step in range(REFINEMENTS):
        between = short[0] + int((long[0] - short[0]) * short[1] / (short[1] - long[1]))
        middle = min(max(between // GRAIN * GRAIN, short[0] + GRAIN), long[0] - GRAIN)
        if middle <= short[0]:
            break
        tried = _tried(job, place, batch, retrace, middle)
        if tried is None:
            break
        short, long = ((middle, tried), long) if tried >= 0 else (short, (middle, tried))
    return Longest(short[0], bounded=False)


def _tried(job: Job, place: Place, batch: int, retrace: Retrace, length: int) -> float | None:
    changed = job.model_copy(update={"seq_len": length})
    try:
        return _room(changed, retrace(changed), place, batch)
    except OutboardError:
        return None


def _room(job: Job, trace: Trace, place: Place, batch: int) -> float:
    """Bytes left at the high end of what is required; negative where it does not fit."""
    found = required_bytes(job, trace, np.array([float(batch)]), [place])
    return float(found.available[0] - found.required.high[0, 0])
