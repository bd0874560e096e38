"""What would make a job fit: changes to the job, each with the memory it saves and the time it costs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from outboard.errors import OutboardError
from outboard.i18n import _
from outboard.perf.memory import memory_levers, required_bytes, safe_max_batch
from outboard.perf.time import PlaceArrays, replay
from outboard.tracing.optimizer import attach
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace

Retrace = Callable[[Job], Trace]
LIGHTER_OPTIMIZERS = ("adamw-fused", "adamw-8bit", "adafactor", "sgd")
LIGHTER_PRECISION = {"fp32": "amp-bf16", "tf32": "amp-bf16", "amp-bf16": "bf16", "amp-fp16": "bf16", "fp64": "fp32"}


@dataclass(frozen=True)
class Remedy:
    """One change, or several together. ``slowdown`` is the time per sample after it over the time before [1]."""

    name: str
    text: str
    saved: float  # required bytes before less after [B]
    slowdown: float
    fits: bool  # whether it is enough on its own
    job: Job


@dataclass(frozen=True)
class _Cost:
    required: float  # [B]
    seconds: float  # per sample [s]


@dataclass(frozen=True)
class _Option:
    name: str
    text: str
    job: Job
    trace: Trace


def remedies(job: Job, trace: Trace, place: Place, batch: int, retrace: Retrace | None = None) -> tuple[Remedy, ...]:
    """Changes that save memory at ``place``: those that are enough first, the least slowdown first among them.

    ``retrace`` gives the trace of a changed job; changes that it cannot trace are left out. Without it only
    changes that need no new trace are tried. If nothing is enough alone, those that slow least are tried together.
    """
    options = [*_smaller_batch(job, trace, place, batch), *_loop(job, trace, batch, place), *_optimizer(job, trace)]
    if retrace is not None:
        options += [*_retraced(job, place, retrace)]
    before = _cost(job, trace, place, batch)
    found = [_judge(option, place, batch, before) for option in options]
    useful = [remedy for remedy in found if remedy.saved > 0]
    if not any(remedy.fits for remedy in useful) and retrace is not None:
        useful += _together(useful, job, place, batch, retrace, before)
    return tuple(sorted(useful, key=lambda remedy: (not remedy.fits, remedy.slowdown, -remedy.saved)))


def larger_devices(job: Job, trace: Trace, places: Sequence[Place], batch: int, most: int = 3) -> tuple[Place, ...]:
    """The places with the least memory on which the job fits as it is, at most ``most`` of them."""
    safe = safe_max_batch(job, trace, places)
    fitting = [place for place, largest in zip(places, safe, strict=True) if largest >= batch]
    return tuple(sorted(fitting, key=lambda place: place.device.memory.value)[:most])


def _smaller_batch(job: Job, trace: Trace, place: Place, batch: int) -> list[_Option]:
    safe = int(safe_max_batch(job, trace, [place])[0])
    if not 1 <= safe < batch:
        return []
    if job.task == "infer":
        text = _("batch {batch}").format(batch=safe)
        return [_Option("batch", text, job.model_copy(update={"batch_size": safe}), trace)]
    # Fewer samples at once and as many micro-steps as make up for it: the same samples per optimizer step.
    steps = -(-batch * job.grad_accumulation // safe)
    smaller = job.model_copy(update={"batch_size": -(-batch // -(-batch // safe)), "grad_accumulation": steps})
    text = _("batch {batch} with {steps} accumulation steps").format(batch=smaller.batch_size, steps=steps)
    return [_Option("batch", text, smaller, trace)]


def _loop(job: Job, trace: Trace, batch: int, place: Place) -> list[_Option]:
    return [_Option(lever.name, lever.text, lever.job, trace) for lever in memory_levers(job, trace, batch, place)]


def _optimizer(job: Job, trace: Trace) -> list[_Option]:
    if job.task == "infer" or job.optimizer not in ("adam", "adamw", *LIGHTER_OPTIMIZERS[:2]):
        return []
    lighter = LIGHTER_OPTIMIZERS[
        LIGHTER_OPTIMIZERS.index(job.optimizer) + 1 if job.optimizer in LIGHTER_OPTIMIZERS else 0 :
    ]
    return [
        _Option(
            "optimizer",
            _("optimizer {name}").format(name=name),
            job.model_copy(update={"optimizer": name}),
            attach(trace, name),
        )
        for name in lighter
    ]


def _retraced(job: Job, place: Place, retrace: Retrace) -> list[_Option]:
    changes: list[tuple[str, str, dict[str, object]]] = []
    lighter = LIGHTER_PRECISION.get(job.precision)
    if lighter and "bf16" not in place.device.matmul:
        lighter = lighter.replace("bf16", "fp16")  # emulated bf16 would save memory and lose all speed
    if lighter:
        changes.append(("precision", _("precision {name}").format(name=lighter), {"precision": lighter}))
    if job.task != "infer" and not job.grad_checkpointing:
        changes.append(("grad_checkpointing", _("gradient checkpointing"), {"grad_checkpointing": True}))
    options: list[_Option] = []
    for name, text, update in changes:
        changed = job.model_copy(update=update)
        try:
            options.append(_Option(name, text, changed, retrace(changed)))
        except OutboardError:
            # Not every source can checkpoint, and not every trace ships: such a change is simply no option here.
            continue
    return options


def _together(
    useful: list[Remedy], job: Job, place: Place, batch: int, retrace: Retrace, before: _Cost
) -> list[Remedy]:
    """Add changes, the least slowing first and one of each kind, until the job fits; nothing if it never does."""
    merged: dict[str, object] = {}
    texts: list[str] = []
    for remedy in sorted(useful, key=lambda one: (one.slowdown, -one.saved)):
        update = _difference(job, remedy.job)
        if any(key in merged for key in update):
            continue
        merged |= update
        texts.append(remedy.text)
        changed = job.model_copy(update=merged)
        try:
            option = _Option("together", " + ".join(texts), changed, retrace(changed))
        except OutboardError:
            continue
        found = _judge(option, place, batch, before)
        if found.fits:
            return [found]
    return []


def _difference(before: Job, after: Job) -> dict[str, object]:
    new = after.model_dump()
    return {key: new[key] for key, value in before.model_dump().items() if new[key] != value}


def _judge(option: _Option, place: Place, batch: int, before: _Cost) -> Remedy:
    after = option.job.batch_size if isinstance(option.job.batch_size, int) else batch
    cost = _cost(option.job, option.trace, place, after)
    return Remedy(
        name=option.name,
        text=option.text,
        saved=before.required - cost.required,
        slowdown=cost.seconds / before.seconds,
        fits=int(safe_max_batch(option.job, option.trace, [place])[0]) >= after,
        job=option.job,
    )


def _cost(job: Job, trace: Trace, place: Place, batch: int) -> _Cost:
    batches = np.array([float(batch)])
    total = float(replay(job, trace, batches, PlaceArrays.of([place])).total[0, 0])
    return _Cost(
        required=float(required_bytes(job, trace, batches, [place]).required.value[0, 0]),
        seconds=total / (batch * (1 if job.task == "infer" else job.grad_accumulation)),
    )
