"""Jobs that were run, here or at a place: kept beside their forecast, and found again by the next forecast of them."""

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from outboard import clock
from outboard.i18n import _
from outboard.measuring.machine import this
from outboard.store import Store
from outboard.types.estimate import Estimate, StepEstimate, Term
from outboard.types.evidence import Evidence
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.measured import JobMeasurement

if TYPE_CHECKING:
    from outboard.measuring.step import Ran  # brings scipy: half a second that no forecast needs

QUANTITY = "step_time"
YES_OR_NO = ("grad_checkpointing",)
COLUMNS = (
    *("workload", "task", "precision", "image_size", "seq_len", "optimizer", "memory_format", "attention"),
    *("grad_checkpointing", "grad_accumulation", "method"),
)


def machine_of(place: Place) -> str:
    """Under which name measurements at a place are kept: this machine's own, else that of the place."""
    return this().key if place.device.vendor == "cpu" else f"place:{place.name}"


def cells(job: Job, batch: int, device: str, count: int = 1) -> dict[str, str]:
    """What was measured, in the columns of ``outboard validate``; value, unit and quantity come with the number."""
    found = {name: getattr(job, name) for name in COLUMNS}
    found |= {"batch_size": batch, "gpu": device, "num_gpus": count, "input_copy": "resident"}
    found["compiled"] = "compiled" if job.compiled else "eager"
    for name in YES_OR_NO:
        found[name] = "yes" if found[name] else "no"
    return {name: str(value) for name, value in found.items() if value is not None}


def key(said: dict[str, str]) -> str:
    """A short name for a job, the same for the same cells."""
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]


def keep(job: Job, batch: int, device: str, ran: "Ran", forecast: float | None, store: Store) -> JobMeasurement:
    """Save a step that was run beside what had been forecast of it."""
    said = cells(job, batch, device)
    measured = JobMeasurement(
        machine=this().key,
        device=device,
        job=key(said),
        quantity=QUANTITY,
        value=ran.seconds,
        cells=said,
        low=ran.low,
        high=ran.high,
        forecast=forecast,
        date=clock.today().isoformat(),
    )
    store.save_measurement(measured)
    return measured


def with_recalled(result: Estimate, job: Job, place: Place, store: Store | None = None) -> Estimate:
    """The forecast with the measured step in place of the computed one, where this job ran there before."""
    known = store or Store()
    device = place.device.id
    found = known.last(machine_of(place), device, key(cells(job, result.batch, device, place.count)), QUANTITY)
    if found is None or not result.step.seconds.value:
        return result
    said = _("step time measured here on {date}; forecast without it: {seconds:.3g} s")
    source = _("a run on this machine on {date}")
    if device != "cpu":
        said = _("step time measured in a run at this place on {date}; forecast without it: {seconds:.3g} s")
        source = _("a run at this place on {date}")
    note = said.format(date=found.date, seconds=result.step.seconds.value)
    step = _measured(result.step, found, source.format(date=found.date), note)
    return replace(result, step=step, assumptions=(*result.assumptions, note), warnings=(*result.warnings, note))


def _measured(step: StepEstimate, found: JobMeasurement, source: str, note: str) -> StepEstimate:
    """The parts keep their shares: only the whole was measured."""
    factor = found.value / (step.seconds.value or found.value)
    low, high = min(found.low or found.value, found.value), max(found.high or found.value, found.value)
    parts = tuple(_scaled(part, factor) for part in step.parts)
    throughput = _scaled(step.throughput, 1.0 / factor)
    if throughput.value is not None:
        ends = {"low": throughput.value * found.value / high, "high": throughput.value * found.value / low}
        throughput = replace(throughput, evidence=Evidence.MEASURED_HERE, **ends)
    seconds = Term("step", found.value, "s", source, Evidence.MEASURED_HERE, low, high, "median of steps", note, parts)
    return replace(step, seconds=seconds, parts=parts, throughput=throughput)


def _scaled(term: Term, factor: float) -> Term:
    if term.value is None:
        return term
    low, high = (None if end is None else end * factor for end in (term.low, term.high))
    return replace(term, value=term.value * factor, low=low, high=high)
