"""What must be free on a device: the job's own bytes and what the place adds, over many places and batches at once.

Nothing of a job's replay depends on the place, and nothing that a place adds depends on the batch, so the two are
computed apart and added: ``required[p, b] = job[b] + place[p]``. Both ends of the band rise with the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from outboard.perf.memory import workspaces
from outboard.perf.memory.model import MemoryModel, memory_model
from outboard.perf.memory.sharing import devices
from outboard.perf.memory.workspaces import Bound
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Place
from outboard.types.trace import FloatArray, IntArray, Trace

if TYPE_CHECKING:
    from outboard.types.job import Job


WINDOWS = ("windows", "wsl2")
SCREEN_INCLUDED = "in what Windows keeps for itself"


@dataclass(frozen=True)
class Band:
    """Low, value and high of a quantity, arrays of equal shape."""

    low: FloatArray
    value: FloatArray
    high: FloatArray

    def plus(self, other: Band) -> Band:
        """The sum, with ends added: the errors are not taken to cancel."""
        return Band(self.low + other.low, self.value + other.value, self.high + other.high)


@dataclass(frozen=True)
class Required:
    """Bytes by place and batch, shape (places, batches) each [B].

    ``allocated`` and ``reserved`` are what ``torch.cuda.max_memory_allocated`` and ``max_memory_reserved`` would say.
    ``required`` must be free: its value counts the segments in use and the context, its low end allocated bytes and
    context alone, its high end everything the allocator would like to keep.
    """

    allocated: Band
    reserved: Band
    required: Band
    available: FloatArray  # (places,)

    @property
    def fits(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Where even the high end fits."""
        return self.required.high <= self.available[:, None]


@dataclass(frozen=True)
class PlaceMemory:
    """What each of several places adds and offers, shape (places,) [B]."""

    inside: Band  # taken from the framework's allocator: matrix workspaces, gradient buckets
    outside: Band  # the context
    available: FloatArray
    sharing: IntArray  # devices among which the job's storages are shared


def required_bytes(job: Job, trace: Trace, batches: FloatArray, places: Sequence[Place] | PlaceMemory) -> Required:
    """Allocated, reserved and required bytes of one device at each place, for each batch per device."""
    at = places if isinstance(places, PlaceMemory) else place_memory(job, trace, places)
    counts, row = np.unique(at.sharing, return_inverse=True)
    size = np.asarray(batches, dtype=np.float64)
    found = [job_bytes(memory_model(job, trace, count), size) for count in counts.tolist()]
    allocated, reserved, must = (_rows([each[kind] for each in found], row) for kind in range(3))
    inside, outside = _column(at.inside), _column(at.outside)
    return Required(
        allocated=allocated.plus(inside),
        reserved=reserved.plus(inside),
        required=must.plus(inside.plus(outside)),
        available=at.available,
    )


def job_bytes(model: MemoryModel, batches: FloatArray) -> tuple[Band, Band, Band]:
    """``(allocated, reserved, required)`` at each batch without what the place adds, shape (batches,) each [B]."""
    low, value, high = (each.allocated(batches) for each in (model.low, model.value, model.high))
    unsplit, in_use, kept = model.unsplit, model.in_use, model.kept
    doubt = model.doubt
    allocated = Band(
        (low + unsplit.low * unsplit.at(low)) * (1 - doubt),
        value + unsplit.at(value),
        (high + unsplit.high * unsplit.at(high)) * (1 + doubt),
    )
    must = allocated.value + in_use.at(value)
    # The two overheads are fitted apart; all segments are never less than those in use.
    reserved = np.maximum(must, allocated.value + kept.at(value))
    most = np.maximum(in_use.high * in_use.at(high), kept.high * kept.at(high)) + allocated.high
    return allocated, Band(allocated.low, reserved, most), Band(allocated.low, must, most)


def place_memory(job: Job, trace: Trace, places: Sequence[Place]) -> PlaceMemory:
    """What each place adds to the job's own bytes, and what it offers."""
    threads = workspaces.multiplying_threads(trace)
    buckets = np.array([workspaces.gradient_buckets(job, trace, place) for place in places])
    facts = [(workspaces.blas_workspace(place.device), workspaces.context(place.device)) for place in places]

    def column(index: int, bound: Bound) -> FloatArray:
        return np.array([bound(pair[index]) for pair in facts])

    bounds = (workspaces.low, workspaces.value, workspaces.high)
    inside = Band(*(threads * column(0, bound) + buckets for bound in bounds))
    outside = Band(*(column(1, bound) for bound in bounds))
    return PlaceMemory(
        inside,
        outside,
        np.array([available(place) for place in places]),
        np.array([devices(job, place) for place in places], dtype=np.int64),
    )


def available(place: Place) -> float:
    """Bytes that one device of ``place`` offers to a job: what a program can see, less what a screen is taken to use.

    Memory of the host that Windows lets a program spill into ("shared GPU memory") is none of it. [B]
    """
    return max(usable(place).value - display(place).value, 0.0)


def usable(place: Place) -> Fact:
    """Bytes that a program can see on one device; a share of the nominal memory where the catalogue does not say.

    Windows keeps a part for itself, in WSL 2 as well.
    """
    device = place.device
    seen = device.usable_memory or _share(device.memory, "default")
    return _share(seen, "windows") if on_windows(place) else seen


def display(place: Place) -> Fact:
    """Bytes that a screen is taken to use; on Windows that is in what the system keeps."""
    return Fact(0.0, "B", SCREEN_INCLUDED, Evidence.ASSUMED) if on_windows(place) else workspaces.display(place.device)


def on_windows(place: Place) -> bool:
    """Whether Windows manages the device's memory: drivers of data-centre cards (TCC) leave it alone."""
    return place.host.system in WINDOWS and place.device.kind != "datacentre" and place.device.vendor != "cpu"


def _share(whole: Fact, name: str) -> Fact:
    share = workspaces.coefficient("usable", name)
    return Fact(
        value=whole.value * share.value,
        unit="B",
        source=f"{whole.source}; {share.source}",
        evidence=max(whole.evidence, share.evidence),
        low=workspaces.low(whole) * workspaces.low(share),
        high=workspaces.high(whole) * workspaces.high(share),
    )


def _rows(bands: Sequence[Band], row: IntArray) -> Band:
    """One row for each place, from one band (batches,) for each number of devices."""
    return Band(*(np.stack([getattr(band, end) for band in bands])[row] for end in ("low", "value", "high")))


def _column(band: Band) -> Band:
    return Band(band.low[:, None], band.value[:, None], band.high[:, None])
