"""Several jobs, each to the place that the best combination gives it: prototypes to the eGPU, large ones elsewhere."""

from dataclasses import dataclass
from pathlib import Path

from outboard.errors import UsageError
from outboard.i18n import _
from outboard.planner import combine
from outboard.planner.answer import Answer, answer
from outboard.running.asked import Runnable
from outboard.running.choose import USUAL, Choice, way
from outboard.running.where import Where
from outboard.types.plan import PlaceKind, PlanPlace

NOW: tuple[PlaceKind, ...] = ("owned", "cluster")


@dataclass(frozen=True)
class Routed:
    """One job and where it goes; ``why_not`` where its place cannot be started now."""

    job: Runnable
    choice: Choice | None
    label: str
    why_not: str = ""


def route(jobs: list[Runnable], situation: str | Path | None) -> list[Routed]:
    """Assign by the plan of all jobs together. Raises :class:`UsageError` where one cannot be planned at all."""
    for job in jobs:
        if job.asked is None:
            raise UsageError(_("{path}: {reason}; so it cannot be routed").format(path=job.path, reason=job.unknown))
    found = answer([job.path for job in jobs], situation or (USUAL if USUAL.is_file() else None))
    taken = _at_hand(found)
    return [_routed(job, found, number, taken.get(number)) for number, job in enumerate(jobs)]


def _at_hand(found: Answer) -> dict[int, str]:
    """The best combination of places that can be started now: the plan's own may buy some first. Job -> place."""
    pairs = combine.pairs(found.studies, NOW)
    startable = [pair for pair in pairs if _way(found, pair) is not None]
    placed = {pair.job for pair in startable}
    best = combine.solve(startable, placed, found.me.budget) if placed else None
    return {pair.job: pair.place for pair in best.taken} if best else {}


def _way(found: Answer, pair: combine.Pair) -> Where | None:
    place = _place(found, pair.job, pair.place)
    return way(place, found.me) if place is not None else None


def _routed(job: Runnable, found: Answer, number: int, id: str | None) -> Routed:
    plan = found.plans[number]
    place = _place(found, number, id)
    there = way(place, found.me) if place is not None else None
    if place is None or there is None:
        return Routed(job, None, "", plan.recommendation.sentence)
    return Routed(job, Choice(there, place, _better(found, job, place), found.me), place.label)


def _place(found: Answer, number: int, id: str | None) -> PlanPlace | None:
    return next((place for place in found.plans[number].places if place.id == id), None)


def _better(found: Answer, job: Runnable, place: PlanPlace) -> tuple[str, ...]:
    """What the whole plan gives the job, where that is another place: one to be bought first."""
    assignment = found.portfolio.assignment if found.portfolio else ()
    name = job.asked.name if job.asked else job.name
    return tuple(one.label for one in assignment if one.job == name and one.id != place.id)
