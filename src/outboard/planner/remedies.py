"""What would make a job fit: changes to the job, each with the memory it saves and the time it costs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from outboard.errors import OutboardError
from outboard.perf.memory import required_bytes, safe_max_batch
from outboard.perf.time import PlaceArrays, replay
from outboard.planner.changes import CLOSE, OTHER, Change, changes, smaller_batch
from outboard.tracing.cache import RECORDED_FIELDS
from outboard.tracing.optimizer import attach
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace

NOTEWORTHY = 0.001  # share of what is required below which a saving is not worth a line [1]
MUCH_SLOWER = 3.0  # times the time per sample

Retrace = Callable[[Job], Trace]


@dataclass(frozen=True)
class Remedy:
    """One change, or several together. ``slowdown`` is the time per sample after it over the time before [1]."""

    name: str
    text: str
    saved: float  # required bytes before less after [B]
    slowdown: float
    fits: bool  # whether it is enough on its own
    job: Job
    distance: int = 0  # how far it changes what is learned, see ``changes``


@dataclass(frozen=True)
class _Cost:
    required: float  # [B]
    seconds: float  # per sample [s]


@dataclass(frozen=True)
class _Setting:
    """What every remedy is held against."""

    job: Job
    trace: Trace
    place: Place
    batch: int
    retrace: Retrace | None
    before: _Cost


def remedies(
    job: Job, trace: Trace, place: Place, batch: int, retrace: Retrace | None = None, everything: bool = False
) -> tuple[Remedy, ...]:
    """Changes that save memory at ``place``: those that are enough first, what changes the result least first of them.

    ``retrace`` gives the trace of a changed job; changes that it cannot trace are left out. Without it only changes
    that need no new trace are tried. If nothing is enough alone, several are tried together. ``everything`` also tries
    what trains something else: adapters, shorter sequences.
    """
    setting = _Setting(job, trace, place, batch, retrace, _cost(job, trace, place, batch))
    useful: list[tuple[Change, Remedy]] = []
    for change in changes(job, trace, place, batch, everything):
        found = _judge(setting, [change])
        if found is not None and found.saved > NOTEWORTHY * setting.before.required:
            useful.append((change, found))
    listed = [remedy for _change, remedy in useful]
    enough = [remedy.distance for remedy in listed if remedy.fits]
    if retrace is not None and min(enough, default=OTHER) == OTHER:
        # Where something else must be trained in any case, one such change that is enough is better than several.
        listed += _together(setting, useful, CLOSE if enough else OTHER)
    return tuple(sorted(listed, key=_order))


def _order(one: Remedy) -> tuple[bool, int, float, float]:
    """What is enough first, and what changes the result least; to slow the job much counts as a small change."""
    return not one.fits, one.distance + int(one.slowdown > MUCH_SLOWER), one.slowdown, -one.saved


def larger_devices(job: Job, trace: Trace, places: Sequence[Place], batch: int, most: int = 3) -> tuple[Place, ...]:
    """The places with the least memory on which the job fits as it is, at most ``most`` of them."""
    safe = safe_max_batch(job, trace, places)
    fitting = [place for place, largest in zip(places, safe, strict=True) if largest >= batch]
    return tuple(sorted(fitting, key=lambda place: place.device.memory.value)[:most])


def _together(setting: _Setting, useful: list[tuple[Change, Remedy]], furthest: int) -> list[Remedy]:
    """Add changes, what changes the result least and slows least first, until the job fits; nothing if it never does.

    Of two changes to the same field the one that saves more stays. Before the result changes more, a smaller batch is
    tried on top. What is not needed in the end is left out again.
    """
    allowed = [pair for pair in useful if pair[0].distance <= furthest and pair[0].name != "batch"]
    ordered = sorted(allowed, key=lambda pair: (pair[0].distance, pair[1].slowdown, -pair[1].saved))
    saved = {id(change): remedy.saved for change, remedy in ordered}
    taken: list[Change] = []
    for position, (change, remedy) in enumerate(ordered):
        rivals = [other for other in taken if set(other.update) & set(change.update)]
        if any(saved[id(rival)] >= remedy.saved for rival in rivals):
            continue
        tried = [*(other for other in taken if other not in rivals), change]
        last = position + 1 == len(ordered) or ordered[position + 1][0].distance > change.distance
        found = _judge(setting, tried)
        if found is None:
            continue
        taken = tried
        if found.fits:
            return [_without_the_needless(setting, taken, found)]
        smaller = _smaller(setting, taken) if last else []
        found = _judge(setting, [*taken, *smaller]) if smaller else None
        if found is not None and found.fits:
            return [_without_the_needless(setting, [*taken, *smaller], found)]
    return []


def _without_the_needless(setting: _Setting, taken: list[Change], found: Remedy) -> Remedy:
    for change in list(taken):
        fewer = [other for other in taken if other is not change]
        shorter = _judge(setting, fewer) if fewer and change.name != "batch" else None
        if shorter is not None and shorter.fits:
            taken, found = fewer, shorter
    return found


def _smaller(setting: _Setting, taken: list[Change]) -> list[Change]:
    changed = _applied(setting, taken)
    return [] if changed is None else smaller_batch(*changed, setting.place, setting.batch)


def _merged(taken: Iterable[Change]) -> dict[str, Any]:
    return {name: value for change in taken for name, value in change.update.items()}


def _applied(setting: _Setting, taken: list[Change]) -> tuple[Job, Trace] | None:
    """The changed job and its trace; None where it cannot be traced, which makes it no option."""
    update = _merged(taken)
    job = setting.job.model_copy(update=update)
    if not set(update) & set(RECORDED_FIELDS):
        return job, attach(setting.trace, job.optimizer) if "optimizer" in update else setting.trace
    if setting.retrace is None:
        return None
    try:
        return job, setting.retrace(job)
    except OutboardError:
        return None


def _judge(setting: _Setting, taken: list[Change]) -> Remedy | None:
    changed = _applied(setting, taken)
    if changed is None:
        return None
    job, trace = changed
    after = job.batch_size if isinstance(job.batch_size, int) else setting.batch
    cost = _cost(job, trace, setting.place, after)
    return Remedy(
        name=taken[0].name if len(taken) == 1 else "together",
        text=" + ".join(change.text for change in taken),
        saved=setting.before.required - cost.required,
        slowdown=cost.seconds / setting.before.seconds,
        fits=int(safe_max_batch(job, trace, [setting.place])[0]) >= after,
        job=job,
        distance=max(change.distance for change in taken),
    )


def _cost(job: Job, trace: Trace, place: Place, batch: int) -> _Cost:
    batches = np.array([float(batch)])
    total = float(replay(job, trace, batches, PlaceArrays.of([place])).total[0, 0])
    return _Cost(
        required=float(required_bytes(job, trace, batches, [place]).required.value[0, 0]),
        seconds=total / (batch * (1 if job.task == "infer" else job.grad_accumulation)),
    )
