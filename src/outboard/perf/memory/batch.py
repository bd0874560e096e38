"""The largest batch that is safe: the boundary of what fits, less the headroom that the band asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from outboard.perf.memory.model import memory_model
from outboard.perf.memory.replay import LARGEST_BATCH
from outboard.perf.memory.required import PlaceMemory, job_bytes, place_memory
from outboard.types.hardware import Place
from outboard.types.trace import FloatArray, IntArray, Trace

if TYPE_CHECKING:
    from outboard.types.job import Job


def safe_max_batch(
    job: Job, trace: Trace, places: Sequence[Place] | PlaceMemory, available: FloatArray | None = None
) -> IntArray:
    """Largest batch per device, shape (places,), for which the high end of the required bytes fits; 0 where none does.

    ``available`` [B], shape (places,), replaces what the places offer. Answers beyond 2**20 are given as 2**20.
    Memory never falls with the batch, so all places are bisected in step, each distinct one once.
    """
    at = places if isinstance(places, PlaceMemory) else place_memory(job, trace, places)
    offered = at.available if available is None else np.asarray(available, dtype=np.float64)
    cases, inverse = np.unique(
        np.column_stack([at.inside.high + at.outside.high, offered, at.sharing]), axis=0, return_inverse=True
    )
    models = [memory_model(job, trace, int(count)) for count in np.unique(cases[:, 2])]
    groups = [cases[:, 2] == count for count in np.unique(cases[:, 2])]

    def fits(batches: IntArray) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        required = np.zeros(len(cases))
        for model, rows in zip(models, groups, strict=True):
            required[rows] = job_bytes(model, batches[rows].astype(np.float64))[2].high
        return required + cases[:, 0] <= cases[:, 1]

    good = np.zeros(len(cases), dtype=np.int64)
    bad = np.full(len(cases), LARGEST_BATCH + 1, dtype=np.int64)
    while (bad - good > 1).any():
        middle = (good + bad) // 2
        ok = fits(np.maximum(middle, 1)) & (middle >= 1)
        good, bad = np.where(ok, middle, good), np.where(ok, bad, np.maximum(middle, good + 1))
    return good[inverse.ravel()]
