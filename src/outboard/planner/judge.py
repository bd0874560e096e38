"""One job on every candidate: hours, money, and what speaks against it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from outboard.cost.arrays import Band, band
from outboard.cost.buy import buy, capital
from outboard.cost.cluster import cluster
from outboard.cost.draws import Draws
from outboard.cost.quota import quota
from outboard.cost.rent import rent
from outboard.cost.result import CostResult, Line
from outboard.cost.staged import Phase, committed, staged
from outboard.i18n import _
from outboard.planner.burdens import completed
from outboard.planner.candidates import Candidate
from outboard.planner.circumstances import Circumstances
from outboard.planner.jobs import Asked, weekly
from outboard.planner.serving.daily import kept_on, paid_hours
from outboard.planner.words import duration, money
from outboard.planner.work import Forecast, forecast
from outboard.types.money import Cluster, Purchase, Quota, Rent, Use, Work
from outboard.types.plan import BOUGHT, RENTED, Reason

# A purchase beyond the budget still tells when it would pay; one that cannot run, or is too slow, does not.
BEARABLE = frozenset({"budget"})


@dataclass(frozen=True)
class Judged:
    """A candidate with the job on it.

    ``cost`` holds every world and is kept where something may still be asked of it: at feasible places, and at
    purchases that only lack the money. The bands [USD] are kept wherever a cost is known.

    ``phases`` where it is bought in stages: ``forecast`` and ``work`` are then those of the first.
    """

    candidate: Candidate
    forecast: Forecast
    work: Work | None
    cost: CostResult | None
    upfront: float | None
    reasons: tuple[Reason, ...]
    elapsed: Band | None = None  # until a job is done [h]
    load: float | None = None  # median share of what the place can give [1]
    over_horizon: Band | None = None
    per_job: Band | None = None
    phases: tuple[Phase, ...] = ()

    @property
    def feasible(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.reasons

    @property
    def total(self) -> float:
        """Median over the horizon [USD], infinite where unknown."""
        return self.over_horizon.p50 if self.over_horizon else math.inf

    @property
    def hours(self) -> float:
        """Median until a job is done [h], infinite where unknown."""
        return self.elapsed.p50 if self.elapsed else math.inf


@dataclass(frozen=True)
class Study:
    """All of it for one job; ``instead`` is what would be rented while an own machine is away."""

    asked: Asked
    me: Circumstances
    use: Use
    draws: Draws
    judged: tuple[Judged, ...]
    instead: Rent | None


def study(asked: Asked, me: Circumstances, candidates: Sequence[Candidate], draws: Draws) -> Study:
    """Put ``asked`` on every candidate. Rents come first: the cheapest stands in for machines under repair."""
    use = me.use(asked.runs_per_month(me))
    candidates = kept_on(asked, candidates)
    found = _forecast(asked, candidates)
    pairs = [(one, found[one.id]) for one in completed(asked, me, candidates)]
    others = {c.id: _judge(asked, me, c, f, use, draws) for c, f in pairs if not isinstance(c.terms, Purchase)}
    instead = cheapest_rent(tuple(others.values()))
    rented = instead.candidate.terms if instead and isinstance(instead.candidate.terms, Rent) else None
    judged = tuple(others.get(c.id) or _judge(asked, me, c, f, use, draws, rented) for c, f in pairs)
    return Study(asked, me, use, draws, judged, rented)


def _forecast(asked: Asked, candidates: Sequence[Candidate]) -> dict[str, list[Forecast]]:
    """Return one forecast for each stage of each candidate, by its id."""
    owners = [(one.id, stage.place) for one in candidates for _from, stage in one.stages]
    found: dict[str, list[Forecast]] = {one.id: [] for one in candidates}
    for (owner, _place), forecasted in zip(owners, forecast(asked, [place for _id, place in owners]), strict=True):
        found[owner].append(forecasted)
    return {one.id: paid_hours(asked, one, found[one.id]) for one in candidates}


def cheapest_rent(judged: Sequence[Judged]) -> Judged | None:
    """Return the cheapest acceptable rent by the hour or by reservation, None without any."""
    found = [one for one in judged if one.feasible and one.candidate.kind in RENTED]
    return min(found, key=lambda one: (one.total, one.hours), default=None)


def _judge(
    asked: Asked,
    me: Circumstances,
    candidate: Candidate,
    found: Sequence[Forecast],
    use: Use,
    draws: Draws,
    instead: Rent | None = None,
) -> Judged:
    problems = (*candidate.problems, *(one.problem for one in found if one.problem))
    hours = [one.hours for one in found if one.hours is not None]
    if len(hours) < len(found) or any(one.problem and one.problem.kind == "memory" for one in found):
        return Judged(candidate, found[0], None, None, None, problems)
    work = [
        Work(each, f"speed:{stage.place.device.id}")
        for each, (_from, stage) in zip(hours, candidate.stages, strict=True)
    ]
    phases = _phases(candidate, work)
    cost = price(candidate, work[0], use, draws, instead, phases)
    upfront = _upfront(candidate, phases, use, draws)
    elapsed = band(cost.hours)
    # What must be done in time and within the week's hours is so in the slowest stage too.
    slowest = max(one.value for one in hours) if phases else elapsed.p50
    load = _load(cost, elapsed) * (slowest / elapsed.p50 if phases else 1.0)
    dear = [Reason("price unknown", cost.unknown)] if cost.unknown else _too_dear(me, candidate, cost, upfront)
    reasons = (*problems, *dear, *_too_slow(asked, me, slowest, load))
    return Judged(
        candidate=candidate,
        forecast=found[0],
        work=work[0],
        cost=cost if _may_matter(candidate, reasons) else None,
        upfront=upfront,
        reasons=reasons,
        elapsed=elapsed,
        load=load,
        over_horizon=cost.band_over_horizon,
        per_job=cost.band_per_job,
        phases=phases,
    )


def _may_matter(candidate: Candidate, reasons: Sequence[Reason]) -> bool:
    """Whether the worlds of a cost are worth their memory."""
    return not reasons or (candidate.kind in BOUGHT and {reason.kind for reason in reasons} <= BEARABLE)


def _phases(candidate: Candidate, work: Sequence[Work]) -> tuple[Phase, ...]:
    if not candidate.later:
        return ()
    return tuple(
        Phase(stage.terms, each, begins)
        for (begins, stage), each in zip(candidate.stages, work, strict=True)
        if isinstance(stage.terms, Purchase)
    )


def _load(cost: CostResult, elapsed: Band) -> float:
    """Return the median load; zero for who can always rent one more."""
    if math.isinf(cost.capacity_week):
        return 0.0
    hours = elapsed.p50 if cost.machine_hours is cost.hours else band(cost.machine_hours).p50
    return weekly(cost.use.jobs_per_month, hours) / cost.capacity_week


def price(
    candidate: Candidate, work: Work, use: Use, draws: Draws, instead: Rent | None, phases: Sequence[Phase] = ()
) -> CostResult:
    """Return what ``candidate`` costs for ``work``. No run costs nothing, also where a run would never end."""
    cost = staged(phases, use, draws, instead) if phases else _priced(candidate, work, use, draws, instead)
    if use.jobs_per_month > 0:
        return cost
    zero = np.zeros(draws.count)
    return replace(cost, lines=tuple(Line(line.fixed, zero) for line in cost.lines))


def _priced(candidate: Candidate, work: Work, use: Use, draws: Draws, instead: Rent | None) -> CostResult:
    match candidate.terms:
        case Purchase() as terms:
            return buy(terms, work, use, draws, instead)
        case Rent() as terms:
            return rent(terms, work, use, draws)
        case Quota() as terms:
            return quota(terms, work, use, draws)
        case Cluster() as terms:
            return cluster(terms, work, use, draws)


def _upfront(candidate: Candidate, phases: Sequence[Phase], use: Use, draws: Draws) -> float | None:
    if not isinstance(candidate.terms, Purchase):
        return 0.0
    if phases:
        return committed(phases, use, draws)
    if any(part.price is None for part in candidate.terms.parts):
        return None
    return band(capital(candidate.terms, use, draws)).p50


def _too_slow(asked: Asked, me: Circumstances, hours: float, load: float) -> list[Reason]:
    found: list[Reason] = []
    if not math.isfinite(hours):
        return [Reason("hours", _("a session ends before the job has got anywhere"))]
    if hours > asked.deadline(me):
        text = _("done in {hours}, the deadline is {deadline}")
        found.append(Reason("deadline", text.format(hours=duration(hours), deadline=duration(asked.deadline(me)))))
    if load > 1.0:
        text = _("the jobs need {load:.1f} times the hours that it can give")
        found.append(Reason("hours", text.format(load=load)))
    return found


def _too_dear(me: Circumstances, candidate: Candidate, cost: CostResult, upfront: float | None) -> list[Reason]:
    needed = _needed(candidate, cost, upfront)
    if me.budget is None or needed <= me.budget:
        return []
    text = _("{needed} is above the budget of {budget}")
    return [Reason("budget", text.format(needed=money(needed, me), budget=money(me.budget, me)))]


def _needed(candidate: Candidate, cost: CostResult, upfront: float | None) -> float:
    """Return what must be paid out of the budget: the machine, or all the rent [USD]."""
    if isinstance(candidate.terms, Purchase):
        return upfront or 0.0
    total = cost.band_over_horizon
    return total.p50 if total else 0.0
