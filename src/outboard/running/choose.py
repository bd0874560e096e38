"""Which way to run follows from the plan: its first place that is at hand today, or the one that was named."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from outboard.errors import UsageError
from outboard.i18n import _
from outboard.planner.answer import Answer, answer
from outboard.planner.circumstances import Circumstances
from outboard.planner.words import duration
from outboard.running import where
from outboard.running.asked import Runnable
from outboard.running.where import Where
from outboard.types.plan import Plan, PlanPlace

USUAL = Path("me.yaml")


@dataclass(frozen=True)
class Choice:
    """Where it goes, and what the plan says of that place; ``passed`` are better places that cannot be started."""

    where: Where
    place: PlanPlace | None = None
    passed: tuple[str, ...] = ()
    me: Circumstances | None = None


def choose(job: Runnable, on: str | None, situation: str | Path | None) -> Choice:
    """Return where ``job`` goes: as ``on`` says, else the plan's first place that is there to be used."""
    situation = situation or (USUAL if USUAL.is_file() else None)
    if on is not None and where.names_a_way(on):
        there = where.read(on)
        found = _planned(job, situation) if situation is not None else None
        place = _named(found, there) if found is not None else None
        return Choice(there, place, me=found.me if found else None)
    if job.asked is None:
        text = _("{reason}; so there is no plan to follow: say where, --on local for example")
        raise UsageError(text.format(reason=job.unknown))
    found = _planned(job, situation)
    assert found is not None
    return _first(found, on)


def _planned(job: Runnable, situation: str | Path | None) -> Answer | None:
    return None if job.asked is None else answer([job.path], situation)


def _first(found: Answer, on: str | None) -> Choice:
    passed: list[str] = []
    plan = found.plans[0]
    for place in _candidates(plan, on):
        there = way(place, found.me)
        if there is not None:
            return Choice(there, place, tuple(passed), found.me)
        passed.append(place.label)
    if on is not None:
        message = _(
            "no place of the plan is '{on}'; outboard plan {path} --limit 0 lists them; or say how: ssh:HOST={on}"
        )
        raise UsageError(message.format(on=on, path=found.studies[0].asked.path))
    sentence = plan.recommendation.sentence
    message = _("nothing that could be started now: {sentence} Say where: --on local, ssh:HOST, slurm:LOGIN")
    raise UsageError(message.format(sentence=sentence))


def _candidates(plan: Plan, on: str | None) -> Iterator[PlanPlace]:
    if on is None:
        yield from (place for place in plan.places if place.feasible)
        return
    from outboard import api

    wanted = api.find_place(on).name
    yield from (place for place in plan.places if place.place == wanted)


def way(place: PlanPlace, me: Circumstances) -> Where | None:
    """How to get to a place of the plan; None for one that would have to be bought, or rented by hand, first."""
    if place.kind == "owned":
        number = int(place.id.split(":")[1])
        host = me.stated.owned[number].ssh
        return Where("ssh" if host else "local", host, place.place)
    if place.kind == "cluster" and me.stated.access.slurm is not None:
        return Where("slurm", me.stated.access.slurm.login, place.place)
    return None


def _named(found: Answer, there: Where) -> PlanPlace | None:
    """What the plan says of the place that was named: one reached the same way, of that name if it has one."""
    for place in found.plans[0].places:
        same = way(place, found.me)
        if same is not None and same.way == there.way and there.place in ("", place.place):
            return place
    return None


def passed_line(choice: Choice) -> str:
    """One line on better places that would have to be bought or opened first."""
    if not choice.passed:
        return ""
    first, more = choice.passed[0], len(choice.passed) - 1
    text = _("Better by the plan, but to be bought or rented by hand: {first}").format(first=first)
    return text + (_(" and {count} more").format(count=more) if more else "") + "."


def hours_line(hours: tuple[float, float, float]) -> str:
    """Hours with their band."""
    low, middle, high = hours
    return _("{middle} ({low} to {high})").format(middle=duration(middle), low=duration(low), high=duration(high))
