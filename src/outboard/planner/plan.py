"""One job to its plan."""

from collections.abc import Sequence
from datetime import date

from outboard import clock
from outboard.cost.draws import Draws
from outboard.cost.offers import age_line
from outboard.i18n import _
from outboard.planner import prices, rank, sentences
from outboard.planner.candidates import Candidate, gather
from outboard.planner.candidates.elsewhere import without_forecast
from outboard.planner.circumstances import Circumstances
from outboard.planner.jobs import Asked
from outboard.planner.judge import Judged, Study, study
from outboard.planner.serving.price import sentences as service_sentences
from outboard.planner.serving.price import service_price
from outboard.planner.turning import interval, turning
from outboard.types.money import Snapshot
from outboard.types.plan import Interval, Plan, PlanPlace, Recommendation, ServicePrice


def plan(asked: Asked, me: Circumstances, today: date | None = None, snapshot: Snapshot | None = None) -> Plan:
    """Return where to run ``asked``: all candidates judged, ranked by the person's goal, and a verdict."""
    today, snapshot = today or clock.today(), snapshot or prices.current()
    return concluded(study(asked, me, gather(me, snapshot, today), Draws()), snapshot, today)


def concluded(found: Study, snapshot: Snapshot, today: date) -> Plan:
    """Return the plan that follows from a study."""
    me, goal = found.me, found.me.stated.goal
    front = rank.pareto(found.judged)
    chosen = rank.choose(front, goal)
    turn, why_not = turning(found, chosen)
    priced = _service(found, chosen)
    changes = [*sentences.changes(found, front, chosen, turn), *_said_of(found, chosen, priced)]
    ids = {one.candidate.id for one in front}
    return Plan(
        job=found.asked.name,
        workload=found.asked.said.workload,
        runs_per_month=found.use.jobs_per_month,
        horizon_years=me.horizon,
        goal=goal,
        currency=me.currency,
        recommendation=Recommendation(
            id=chosen.candidate.id if chosen else None,
            place=chosen.candidate.place.name if chosen else None,
            sentence=sentences.verdict(found, chosen, changes),
            changes=tuple(changes),
        ),
        places=tuple(_told(one, one.candidate.id in ids) for one in rank.ordered(found.judged, chosen, goal)),
        break_even=turn,
        no_break_even=why_not,
        prices=age_line(snapshot, today),
        assumptions=_assumptions(found, snapshot, [one.candidate for one in found.judged]),
        service=priced,
    )


def _service(found: Study, chosen: Judged | None) -> ServicePrice | None:
    if found.asked.service is None or chosen is None or chosen.over_horizon is None:
        return None
    total = chosen.over_horizon
    return service_price(
        found.asked.service, found.me, Interval(total.p10, total.p50, total.p90), chosen.candidate.place
    )


def _said_of(found: Study, chosen: Judged | None, priced: ServicePrice | None) -> list[str]:
    if priced is None or found.asked.service is None or chosen is None:
        return []
    return service_sentences(found.asked.service, found.me, priced, chosen.candidate.label)


def _told(one: Judged, on_front: bool) -> PlanPlace:
    each, total = one.per_job, one.over_horizon
    return PlanPlace(
        id=one.candidate.id,
        place=one.candidate.place.name,
        kind=one.candidate.kind,
        label=one.candidate.label,
        provider=one.candidate.provider,
        feasible=one.feasible,
        reasons=one.reasons,
        hours_per_job=interval(one.elapsed) if one.elapsed is not None else None,
        cost_per_job=interval(each) if each is not None else None,
        cost_over_horizon=interval(total) if total is not None else None,
        upfront=one.upfront,
        batch=one.forecast.batch,
        load=one.load,
        pareto=on_front,
        notes=(*one.candidate.notes, *one.forecast.notes),
    )


def _assumptions(found: Study, snapshot: Snapshot, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    taken = list(found.me.assumptions)
    if found.asked.service is not None:
        taken += _of_service(found.asked)
    if found.asked.stated is not None:
        taken.append(_("stated hours scale with the rate of each device, whatever its link"))
    if any(one.kind == "owned" for one in candidates):
        taken.append(_("what is owned is paid: it costs its energy and its repairs"))
    if unknown := without_forecast(snapshot):
        text = _("{count} offers of devices in none of Outboard's own tables are left out")
        taken.append(text.format(count=unknown))
    return tuple(taken)


def _of_service(asked: Asked) -> list[str]:
    taken = [_("a run is one day of service")]
    said = asked.said.serve
    if said is not None and said.prompt_tokens_per_day is None:
        taken.append(_("three tokens are read for each that is written; say serve.prompt_tokens_per_day:"))
    if said is not None and said.always_on:
        taken.append(_("it must answer at any time: rented machines are paid all day; say serve.always_on:"))
    return taken
