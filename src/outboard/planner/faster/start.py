"""What a run waits for before its first step: loading the model, filling the pipeline."""

from dataclasses import dataclass

import numpy as np

from outboard.perf.collectives.volume import weight_bytes
from outboard.perf.input.facts import fact
from outboard.perf.input.load import load
from outboard.perf.input.pipeline import has_engine, input_times
from outboard.perf.input.terms import cores, disk
from outboard.perf.input.transfer import link_rate, pageable_rate
from outboard.perf.time import PlaceArrays, replay
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace


@dataclass(frozen=True)
class Start:
    """Seconds until a run is in its stride [s]. Weights come from the disk, then over the link."""

    weights: float  # bytes of the model [B]
    load_pageable: float
    load_pinned: float
    first_step: float  # workers start, one of them makes a batch, the batch is copied, the step runs


def start(job: Job, trace: Trace, place: Place, batch: int) -> Start:
    """How long ``job`` takes to start at ``place``: what is kept resident between runs need not be waited for again."""
    size = weight_bytes(trace)
    rate = np.array([link_rate(place)])
    slow = float(pageable_rate(rate, np.array([float(place.link.tunnelled)]))[0])
    read = disk(place).value
    step = replay(job, trace, np.array([float(batch)]), PlaceArrays.of([place]))
    return Start(
        weights=size,
        load_pageable=size / min(slow, read),
        load_pinned=size / min(float(rate[0]), read),
        first_step=_first_batch(job, trace, place, batch) + float(step.copy[0, 0] + step.resident[0, 0]),
    )


def _first_batch(job: Job, trace: Trace, place: Place, batch: int) -> float:
    sample = load(job, trace)
    if sample is None:
        return 0.0
    here, speed, devices = (np.array([value]) for value in (cores(place).value, disk(place).value, float(place.count)))
    engines = np.array([float(has_engine(place.device.architecture))])
    times = input_times(job, sample, np.array([float(batch)]), here, speed, devices, engines)
    starting = 0.0 if job.workers == 0 else fact("host.worker_start").value
    return starting + float(times.alone[0, 0])
