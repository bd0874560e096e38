"""A job becomes hours on each place by its own forecast, for all places at once."""

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import lru_cache

import numpy as np

from outboard.errors import FileError, MissingExtraError, UsageError
from outboard.i18n import _
from outboard.perf import precision
from outboard.perf.auto_batch import choose
from outboard.perf.memory import required_bytes, safe_max_batch
from outboard.perf.memory.required import available
from outboard.perf.time import PlaceArrays, StepReplay, replay
from outboard.perf.time.spread import step_causes
from outboard.planner import learnt
from outboard.planner.forecasts import Forecast
from outboard.planner.hours import StatedHours, rate_of, speedup
from outboard.planner.jobs import Asked
from outboard.planner.serving.daily import daily
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.plan import Reason
from outboard.types.trace import FloatArray, Trace
from outboard.uncertainty import Cause, band, fact_sigma, step_sigma
from outboard.units import format_bytes

HOUR = 3600.0
OF_LOOP = frozenset({"batch_size", "grad_accumulation", "input_copy"})  # what no trace depends on
FORECAST = "Outboard's forecast: samples x epochs / throughput (docs/methodology)"
SCALED = "stated hours x rate there / rate here, rates of the catalogue"


def forecast(asked: Asked, places: Sequence[Place]) -> list[Forecast]:
    """Forecast ``asked`` at each of ``places``, in their order; equal places are computed once."""
    distinct = list({place.name + place.link.id: place for place in places}.values())
    way = daily if asked.service else _scaled if asked.stated else _replayed
    found = way(asked, distinct)
    by_key = {place.name + place.link.id: one for place, one in zip(distinct, found, strict=True)}
    return [by_key[place.name + place.link.id] for place in places]


def recorded(asked: Asked) -> tuple[Job, Trace]:
    """Return the job and its trace; what goes wrong names the file."""
    from outboard import tracing

    job = asked.said.job
    try:
        return job, _shipped(job) if job.workload.startswith("zoo:") else tracing.trace(job)
    except MissingExtraError:
        raise
    except UsageError as error:
        raise FileError(asked.path, str(error), "workload") from None


def _shipped(job: Job) -> Trace:
    """A trace that ships is the same each time, and whoever plans again finds its memory model built."""
    said = Job(**{name: getattr(job, name) for name in job.model_fields_set - OF_LOOP})
    return _read(said)  # pyright: ignore[reportArgumentType]  # frozen, so pydantic gives it a hash


@lru_cache(maxsize=32)
def _read(job: Job) -> Trace:
    from outboard import tracing

    return tracing.trace(job)


def _replayed(asked: Asked, places: list[Place]) -> list[Forecast]:
    job, trace = recorded(asked)
    safe = safe_max_batch(job, trace, places)
    batches = choose(job, trace, places, safe)
    tried, column = np.unique(batches, return_inverse=True)
    step = replay(job, trace, tried.astype(np.float64), PlaceArrays.of(places))
    required = required_bytes(job, trace, tried.astype(np.float64), places)
    needs, most = required.required.value, required.required.high
    found: list[Forecast] = []
    runs = learnt.known()
    for i, place in enumerate(places):
        at = int(column[i])
        problem = _memory(float(needs[i, at]), float(most[i, at]), float(required.available[i]), int(batches[i]))
        one = _hours(asked, job, trace, place, int(batches[i]), _at(step, i, at))
        notes = tuple(precision.warnings(place.device, job.precision))
        one = replace(one, problem=problem or one.problem, notes=notes)
        found.append(learnt.as_run(one, job, trace, place, steps(asked, job, place, int(batches[i])), runs))
    return found


def _memory(needs: float, most: float, has: float, batch: int) -> Reason | None:
    if most <= has:
        return None
    if needs <= has:
        text = _("may need {most} at batch {batch}, has {has}")
        return Reason("memory", text.format(most=format_bytes(most), batch=batch, has=format_bytes(has)))
    text = _("needs {needs} at batch {batch}, has {has}")
    return Reason("memory", text.format(needs=format_bytes(needs), batch=batch, has=format_bytes(has)))


def _hours(asked: Asked, job: Job, trace: Trace, place: Place, batch: int, step: StepReplay) -> Forecast:
    seconds = float(step.total[0, 0])
    if not math.isfinite(seconds):
        why = _("the table of {device} has no rate for an operand type of this job").format(device=place.device.id)
        return Forecast(None, batch, Reason("speed unknown", why))
    hours = steps(asked, job, place, batch) * seconds / HOUR
    return Forecast(_banded(hours, step_causes(job, trace, place, step), FORECAST), batch)


def steps(asked: Asked, job: Job, place: Place, batch: int) -> float:
    """Return how many steps one run takes; a last batch that is not full is a step too."""
    assert asked.said.data is not None
    accumulated = 1 if job.task == "infer" else job.grad_accumulation
    each = batch * place.count * accumulated
    return math.ceil(asked.said.data.samples / each) * asked.said.data.epochs


def _at(step: StepReplay, place: int, batch: int) -> StepReplay:
    """Return the replay of one place and batch alone."""
    cut: dict[str, FloatArray] = {}
    for item in fields(step):
        cut[item.name] = getattr(step, item.name)[place : place + 1, batch : batch + 1]
    return replace(step, **cut)


def _banded(hours: float, causes: list[Cause], source: str) -> Fact:
    spread = band(hours, causes)
    widest = ", ".join(cause.name for cause in spread.causes[:2])
    return Fact(hours, "h", source, Evidence.FITTED, low=spread.low, high=spread.high, note=widest)


def _scaled(asked: Asked, places: list[Place]) -> list[Forecast]:
    stated = asked.stated
    assert stated is not None
    return [_scaled_to(stated, asked.said.memory, place) for place in places]


def _scaled_to(stated: StatedHours, memory: float | None, place: Place) -> Forecast:
    factor = speedup(stated, place)
    if not factor:
        why = _("the {bound} rate of {device} is not known").format(bound=stated.bound, device=place.device.id)
        return Forecast(None, None, Reason("speed unknown", why))
    has = available(place) * place.count
    problem = None
    if memory is not None and memory > has:
        text = _("needs {needs}, has {has}").format(needs=format_bytes(memory), has=format_bytes(has))
        problem = Reason("memory", text)
    if place.device.id == stated.place.device.id and place.count == stated.place.count:
        exact = Fact(stated.hours, "h", _("stated by the person"), Evidence.MEASURED_HERE)
        return Forecast(exact, None, problem)
    return Forecast(_banded(stated.hours / factor, _scaling_causes(stated, place), SCALED), None, problem)


def _scaling_causes(stated: StatedHours, place: Place) -> list[Cause]:
    """Return why a scaled hour may be off: two rates, and code that uses another device better or worse.

    The second is taken from what the time model leaves unexplained between kinds of workloads.
    """
    rates = [rate_of(one.device, stated.bound) for one in (stated.place, place)]
    known = [fact_sigma(rate.value, rate.low, rate.high) for rate in rates if rate is not None]
    same = place.device.id == stated.place.device.id
    other = 0.0 if same else step_sigma("infer", place.device.architecture, False)
    parallel = _scaling_loss(stated.place.count, place.count)
    return [
        Cause(_("how well the program uses another device"), other),
        Cause(_("how well it spreads over devices"), parallel),
        *(Cause(_("rate of the device"), sigma) for sigma in known),
    ]


def _scaling_loss(there: int, here: int) -> float:
    """Return the spread that another number of devices adds: nobody said how well the program scales."""
    return 0.1 * abs(math.log2(here / there))
