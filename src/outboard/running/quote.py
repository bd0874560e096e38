"""What a run will take at its place: time, memory, money. Each is unknown where nobody can tell, and says why."""

from dataclasses import dataclass, field, replace
from typing import Any

from outboard.cost.money import in_usd, parse_rate
from outboard.errors import OutboardError
from outboard.i18n import _
from outboard.planner.hours import PREFIX
from outboard.planner.work import steps
from outboard.running.asked import Runnable
from outboard.running.choose import Choice
from outboard.running.where import Where
from outboard.types.estimate import Estimate
from outboard.types.hardware import Place
from outboard.types.job import Job

HOUR = 3600.0
Band = tuple[float, float, float]


@dataclass(frozen=True)
class Quote:
    """Bands are (low, middle, high)."""

    place: Place | None = None
    hours: Band | None = None  # [h]
    usd_per_hour: float | None = None
    cost: Band | None = None  # [USD]
    rate: Band | None = None  # [samples/s]
    batch: int | None = None  # samples of each device in a step
    gpu_memory: float | None = None  # [B]
    host_memory: float | None = None  # [B]
    verdict: str = "unknown"
    why: str = ""
    learnt_as: dict[str, Any] = field(default_factory=dict[str, Any])  # under what its measurements will be kept

    @property
    def plain(self) -> dict[str, Any]:
        """For the store and for JSON."""
        named = {name: getattr(self, name) for name in ("usd_per_hour", "batch", "gpu_memory", "host_memory")}
        bands = {name: _listed(getattr(self, name)) for name in ("hours", "cost", "rate")}
        place = self.place.name if self.place else None
        told = {"place": place, "verdict": self.verdict, "why": self.why, "learnt_as": self.learnt_as}
        return {**told, **named, **bands}


def quote(job: Runnable, choice: Choice, price: str | None = None) -> Quote:
    """Forecast ``job`` at the place that was chosen."""
    per_hour = in_usd(parse_rate(price, "h", "--price")).value if price else _per_hour(choice)
    place = place_of(choice.where)
    if place is None:
        return Quote(usd_per_hour=per_hour, why=_("which device is there was not said; write it behind an equals sign"))
    if job.asked is None or job.said.workload.startswith(PREFIX):
        return _of_the_plan(job, choice, place, per_hour)
    from outboard import api

    try:
        asked, trace = api.prepare(job.said.job)
        found = api.estimate(trace, place, job=asked)
    except OutboardError as error:
        return Quote(place, usd_per_hour=per_hour, why=str(error))
    return replace(_of(job, found, place, per_hour), learnt_as=_learnt_as(asked, found, place))


def _learnt_as(asked: Job, found: Estimate, place: Place) -> dict[str, Any]:
    from outboard.measuring import recall

    said = recall.cells(asked, found.batch, place.device.id, place.count)
    return {
        "machine": recall.machine_of(place),
        "device": place.device.id,
        "job": recall.key(said),
        "cells": said,
    }


def place_of(where: Where) -> Place | None:
    """The place of the catalogue: as was said, or the device in this computer."""
    from outboard import api

    if where.place:
        return api.find_place(where.place)
    if where.way != "local":
        return None
    from outboard import measuring
    from outboard.planner import detect

    found = detect.devices()
    return api.find_place(found[0]) if found else measuring.place_here()


def _of(job: Runnable, found: Estimate, place: Place, per_hour: float | None) -> Quote:
    seconds, rate = found.step.seconds, found.step.throughput
    memory = {
        "batch": found.batch,
        "gpu_memory": found.memory.peak.value,
        "host_memory": found.host.ram.value,
        "verdict": found.verdict,
    }
    if seconds.value is None or rate.value is None or job.asked is None:
        return Quote(place, usd_per_hour=per_hour, why=seconds.note, **memory)
    asked = job.said.job.model_copy(update={"batch_size": found.batch})
    count = steps(job.asked, asked, place, found.batch)
    ends = (seconds.low or seconds.value, seconds.value, seconds.high or seconds.value)
    low, middle, high = (count * end / HOUR for end in ends)
    hours = (low, middle, high)
    rates = (rate.low or rate.value, rate.value, rate.high or rate.value)
    return Quote(place, hours, per_hour, _cost(hours, per_hour), rates, **memory)


def _of_the_plan(job: Runnable, choice: Choice, place: Place, per_hour: float | None) -> Quote:
    """What the plan knows of work that was stated in hours."""
    told = choice.place.hours_per_job if choice.place else None
    if told is None:
        why = job.unknown or _("the hours were stated for another device; me.yaml with this place would scale them")
        return Quote(place, usd_per_hour=per_hour, why=why)
    hours = (told.p10, told.p50, told.p90)
    return Quote(place, hours, per_hour, _cost(hours, per_hour))


def _per_hour(choice: Choice) -> float | None:
    if choice.place is None or choice.place.cost_per_job is None or choice.place.hours_per_job is None:
        return None
    hours = choice.place.hours_per_job.p50
    return choice.place.cost_per_job.p50 / hours if 0 < hours < float("inf") else None


def _cost(hours: Band, per_hour: float | None) -> Band | None:
    if per_hour is None:
        return None
    low, middle, high = (each * per_hour for each in hours)
    return (low, middle, high)


def _listed(band: Band | None) -> list[float] | None:
    return None if band is None else list(band)
