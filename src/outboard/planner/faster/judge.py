"""Forecasts every idea and ranks them by what they gain."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from outboard.errors import OutboardError
from outboard.i18n import _
from outboard.perf.collectives.exchange import replicas
from outboard.perf.input.transfer import input_bytes
from outboard.perf.memory import memory_estimate, safe_max_batch
from outboard.perf.time import PlaceArrays, replay
from outboard.planner.faster import computing, feeding, moving
from outboard.planner.faster.ideas import BUILD, Idea, Situation
from outboard.tracing.cache import RECORDED_FIELDS
from outboard.tracing.optimizer import attach
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace

Retrace = Callable[[Job], Trace]
LEAST = 0.005  # a smaller gain is lost in any measurement


@dataclass(frozen=True)
class Faster:
    """One change, or all that change nothing that is learned together. ``gain`` is rate after / before - 1 [1]."""

    name: str
    text: str
    why: str
    code: str
    gain: float
    fits: bool
    distance: int
    job: Job
    place: Place


def faster(job: Job, trace: Trace, place: Place, batch: int, retrace: Retrace | None = None) -> tuple[Faster, ...]:
    """Changes that raise the rate of ``job`` at ``place``, largest gain first; empty where nothing would.

    ``retrace`` records a changed job; ideas that it cannot record are left out, without it all that need it.
    """
    here = _situation(job, trace, place, batch)
    before = _rate(job, trace, place, batch)
    known = [*feeding.ideas(here), *computing.ideas(here), *moving.ideas(here)]
    judged = [(idea, _judge(here, trace, idea, before, retrace)) for idea in known]
    useful = [(idea, found) for idea, found in judged if found is not None and found.gain >= LEAST]
    listed = [found for _idea, found in useful]
    together = [idea for idea, found in _best_of_each(useful) if found.distance < BUILD and idea.place is None]
    if len(together) > 1:
        joined = _judge(here, trace, _joined(together), before, retrace)
        listed += [joined] if joined is not None and joined.gain > max(found.gain for found in listed) else []
    return tuple(sorted(listed, key=lambda found: (-found.gain, found.distance)))


def _situation(job: Job, trace: Trace, place: Place, batch: int) -> Situation:
    memory = memory_estimate(job, trace, batch, place)
    left = (memory.available.value or 0.0) - (memory.required.value or 0.0)
    return Situation(
        job=job,
        place=place,
        batch=batch,
        images=trace.info.unit == "images",
        safe=int(safe_max_batch(job, trace, [place])[0]),
        room=max(left, 0.0),
        sample=float(input_bytes(job, trace, np.array([1.0]))[0]),
    )


def _best_of_each(useful: Iterable[tuple[Idea, Faster]]) -> list[tuple[Idea, Faster]]:
    """Of several ideas with one name the one that gains most."""
    best: dict[str, tuple[Idea, Faster]] = {}
    for idea, found in useful:
        if idea.name not in best or found.gain > best[idea.name][1].gain:
            best[idea.name] = (idea, found)
    return list(best.values())


def _joined(ideas: list[Idea]) -> Idea:
    update = {name: value for idea in ideas for name, value in idea.update.items()}
    text = _("all of these together: {texts}").format(texts=", ".join(idea.text for idea in ideas))
    return Idea("together", text, "", "", update, None, max(idea.distance for idea in ideas))


def _judge(here: Situation, trace: Trace, idea: Idea, before: float, retrace: Retrace | None) -> Faster | None:
    job, place = here.job.model_copy(update=idea.update), idea.place or here.place
    recorded = _trace_of(job, trace, idea, retrace)
    if recorded is None:
        return None
    batch = job.batch_size if isinstance(job.batch_size, int) else here.batch
    return Faster(
        name=idea.name,
        text=idea.text,
        why=idea.why,
        code=idea.code,
        gain=_rate(job, recorded, place, batch) / before - 1.0,
        fits=int(safe_max_batch(job, recorded, [place])[0]) >= batch,
        distance=idea.distance,
        job=job,
        place=place,
    )


def _trace_of(job: Job, trace: Trace, idea: Idea, retrace: Retrace | None) -> Trace | None:
    """The trace of the changed job; None where it cannot be had."""
    if not set(idea.update) & set(RECORDED_FIELDS):
        return trace
    if retrace is None:
        return None
    try:
        return attach(retrace(job), job.optimizer) if job.task != "infer" else retrace(job)
    except OutboardError:
        return None


def _rate(job: Job, trace: Trace, place: Place, batch: int) -> float:
    """Samples per second of the whole place [1/s]."""
    total = float(replay(job, trace, np.array([float(batch)]), PlaceArrays.of([place])).total[0, 0])
    micro = job.grad_accumulation if job.task != "infer" else 1
    return batch * micro * replicas(job, place.count) / total
