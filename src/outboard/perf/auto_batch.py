"""``--batch auto``: the smallest batch that is nearly as fast as the fastest one that is safe."""

from collections.abc import Sequence

import numpy as np

from outboard.perf.time.places import PlaceArrays
from outboard.perf.time.step import replay
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import FloatArray, IntArray, Trace

# Beyond this share of the best rate a larger batch buys next to nothing, and costs memory and statistical efficiency.
NEARLY = 0.97
LARGEST = 4096


def candidates(limit: int = LARGEST) -> IntArray:
    """Batches worth trying: powers of two and the halves between them, up to ``limit``.

    >>> candidates(16).tolist()
    [1, 2, 3, 4, 6, 8, 12, 16]
    """
    powers = [2**i for i in range(limit.bit_length())]
    halves = [3 * 2**i for i in range(limit.bit_length() - 1)]
    return np.array(sorted(b for b in {*powers, *halves} if b <= limit), dtype=np.int64)


def choose(job: Job, trace: Trace, places: Sequence[Place], safe_max: IntArray) -> IntArray:
    """The batch of each place, shape (P,); 1 where not even that is safe.

    A job that says its batch keeps it. ``safe_max`` has shape (P,).
    """
    if job.batch_size != "auto":
        return np.full(len(places), job.batch_size, dtype=np.int64)
    tried = candidates()
    rate = _rate(job, trace, places, tried.astype(np.float64))
    allowed = np.where(tried[None, :] <= safe_max[:, None], rate, -np.inf)
    best = allowed.max(axis=1, keepdims=True)
    # argmax of a boolean row finds its first True: the smallest batch that is nearly as fast as the best.
    first = np.argmax((allowed >= NEARLY * best) & np.isfinite(allowed), axis=1)
    return np.where(safe_max >= 1, tried[first], 1)


def _rate(job: Job, trace: Trace, places: Sequence[Place], batches: FloatArray) -> FloatArray:
    """Samples per second at each place and batch, shape (P, B); a rate that is unknown counts as none."""
    total = replay(job, trace, batches, PlaceArrays.of(places)).total
    return np.nan_to_num(batches[None, :] / total, nan=0.0, posinf=0.0)
