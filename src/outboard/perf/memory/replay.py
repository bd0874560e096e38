"""Replays births and deaths: the peak of allocated bytes over a step, exactly and for many batches at once.

Each position of the step holds a sum of storages that are affine in the batch, so only a handful of positions can ever
be the peak: those on the upper envelope of the lines, or near enough to it that rounding each storage up could lift
them there. They are found once; the peak at any batch is then a small matrix product over the distinct storage sizes.
"""

from dataclasses import dataclass

import numpy as np

from outboard.perf.memory.allocator import MIN_BLOCK
from outboard.perf.memory.timeline import PARTS, Timeline
from outboard.types.trace import FloatArray, IntArray

LARGEST_BATCH = 1 << 20


@dataclass(frozen=True)
class Peak:
    """The peak at each of several batches. Shapes: (batches,), and (parts, batches) for ``parts``, in order of PARTS.

    ``parts`` are the bytes asked for at the peak; together with ``rounding`` they sum to ``allocated``.
    """

    allocated: FloatArray  # [B], every storage rounded up to 512 B
    position: IntArray  # of the operator that runs when the peak is reached
    parts: FloatArray  # [B]
    rounding: FloatArray  # [B]


@dataclass(frozen=True)
class Replay:
    """A timeline reduced to the positions that can be its peak. Build with :func:`replay`."""

    constant: FloatArray  # (sizes,) distinct storage sizes [B]
    per_batch: FloatArray  # (sizes,)
    counts: FloatArray  # (candidates, sizes) storages of that size alive
    part_constant: FloatArray  # (candidates, parts) [B]
    part_per_batch: FloatArray
    position: IntArray  # (candidates,)

    def allocated(self, batches: FloatArray) -> FloatArray:
        """Peak of allocated bytes at each batch, shape (batches,) [B]."""
        if not len(self.position):
            return np.zeros(len(batches))
        return self._by_candidate(batches).max(axis=0)

    def peak(self, batches: FloatArray) -> Peak:
        """The peak with its position and its parts."""
        if not len(self.position):
            empty = np.zeros(len(batches))
            return Peak(empty, empty.astype(np.int64), np.zeros((len(PARTS), len(batches))), empty)
        table = self._by_candidate(batches)
        best = table.argmax(axis=0)
        allocated = table[best, np.arange(len(batches))]
        parts = (self.part_constant[best] + self.part_per_batch[best] * batches[:, None]).T
        return Peak(allocated, self.position[best], parts, allocated - parts.sum(axis=0))

    def _by_candidate(self, batches: FloatArray) -> FloatArray:
        return self.counts @ rounded(self.constant[:, None] + self.per_batch[:, None] * batches[None, :])


def rounded(size: FloatArray) -> FloatArray:
    """Bytes that the allocator counts for requests of ``size`` [B]; a request of zero takes none."""
    # rint: the affine fit leaves whole bytes a hair above or below themselves.
    return np.ceil(np.rint(size) / MIN_BLOCK) * MIN_BLOCK


def replay(line: Timeline) -> Replay:
    """Reduce ``line`` to the positions that can be its peak, for any batch from 1 to 2**20."""
    time, tensor, sign = _events(line)
    constant = np.cumsum(sign * line.constant[tensor])
    per_batch = np.cumsum(sign * line.per_batch[tensor])
    slack = np.cumsum(sign) * float(MIN_BLOCK)
    top = _local_maxima(sign)
    if not len(top):
        none = np.zeros((0, len(PARTS)))
        return Replay(np.zeros(0), np.zeros(0), np.zeros((0, 0)), none, none, np.zeros(0, dtype=np.int64))
    top = top[_can_be_peak(constant[top], per_batch[top], slack[top])]
    alive = _alive_after(top, tensor, sign, len(line))
    sizes, inverse = np.unique(line.constant + 1j * line.per_batch, return_inverse=True)
    counts = _sum_columns(alive, inverse, len(sizes))
    return Replay(
        constant=sizes.real.copy(),
        per_batch=sizes.imag.copy(),
        counts=counts,
        part_constant=_sum_columns(alive * line.constant, line.category, len(PARTS)),
        part_per_batch=_sum_columns(alive * line.per_batch, line.category, len(PARTS)),
        position=time[top],
    )


def _events(line: Timeline) -> tuple[IntArray, IntArray, FloatArray]:
    """Births and deaths in order of time, deaths first: ``(time, tensor, +1 or -1)``, each shape (2 tensors,)."""
    count = len(line)
    time = np.concatenate([line.death, line.birth])
    sign = np.concatenate([np.full(count, -1.0), np.full(count, 1.0)])
    tensor = np.concatenate([np.arange(count), np.arange(count)])
    # A storage that dies where it is born was never there; letting it die first would count it as negative.
    real = np.concatenate([line.death > line.birth] * 2)
    time, sign, tensor = time[real], sign[real], tensor[real]
    order = np.lexsort((sign, time))
    return time[order], tensor[order], sign[order]


def _local_maxima(sign: FloatArray) -> IntArray:
    """Indices of births that no further birth follows directly: memory is highest at one of them."""
    following = np.append(sign[1:], -1.0)
    return np.flatnonzero((sign > 0) & (following < 0))


def _can_be_peak(constant: FloatArray, per_batch: FloatArray, slack: FloatArray) -> IntArray:
    """Indices of the lines that reach the upper envelope for some batch if lifted by their slack.

    The lift over the envelope is concave in the batch, so it is largest at a corner of the envelope or at an end.
    """
    corners = _envelope_corners(constant, per_batch)
    heights = constant[:, None] + per_batch[:, None] * corners[None, :]
    reach = (heights + slack[:, None] >= heights.max(axis=0)).any(axis=1)
    found = np.flatnonzero(reach)
    return _at_most_limit(found, constant, per_batch)


def _at_most_limit(found: IntArray, constant: FloatArray, per_batch: FloatArray) -> IntArray:
    """Drop the least likely candidates beyond what a matrix product takes in its stride."""
    limit = 512
    if len(found) <= limit:
        return found
    # Only steps of thousands of tiny storages get here; the ones left out could win by less than their rounding.
    order = np.argsort(-(constant[found] + per_batch[found]), kind="stable")
    return np.sort(found[order[:limit]])


def _envelope_corners(constant: FloatArray, per_batch: FloatArray) -> FloatArray:
    """Batches at which the upper envelope of the lines changes line, with both ends."""
    corners = [1.0]
    at = 1.0
    heights = constant + per_batch
    best = int(np.lexsort((per_batch, heights))[-1])
    while True:
        steeper = np.flatnonzero(per_batch > per_batch[best])
        if not len(steeper):
            break
        crossing = (constant[best] - constant[steeper]) / (per_batch[steeper] - per_batch[best])
        at = max(at, float(crossing.min()))
        if at >= LARGEST_BATCH:
            break
        corners.append(at)
        ties = steeper[crossing <= crossing.min()]
        best = int(ties[np.argmax(per_batch[ties])])
    return np.array([*corners, float(LARGEST_BATCH)])


def _alive_after(events: IntArray, tensor: IntArray, sign: FloatArray, count: int) -> FloatArray:
    """Which storages are alive just after each of ``events``, shape (events, count), as 0 and 1."""
    born, dead = np.full(count, len(sign)), np.full(count, len(sign))
    index = np.arange(len(sign))
    born[tensor[sign > 0]] = index[sign > 0]
    dead[tensor[sign < 0]] = index[sign < 0]
    return ((born[None, :] <= events[:, None]) & (dead[None, :] > events[:, None])).astype(np.float64)


def _sum_columns(table: FloatArray, group: IntArray, groups: int) -> FloatArray:
    """Sum columns of equal ``group``, shape (rows, groups)."""
    rows = table.shape[0]
    flat: IntArray = (np.arange(rows, dtype=np.int64)[:, None] * groups + group[None, :]).reshape(-1)
    return _sums(flat, table.reshape(-1), rows * groups).reshape(rows, groups)


def _sums(group: IntArray, weight: FloatArray, groups: int) -> FloatArray:
    return np.bincount(group, weights=weight, minlength=groups).astype(np.float64)
