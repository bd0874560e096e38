"""One job on every candidate: hours, money, and what speaks against it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from outboard.cost.arrays import Band, band
from outboard.cost.buy import buy, capital
from outboard.cost.cluster import cluster
from outboard.cost.draws import Draws
from outboard.cost.facts import overhead
from outboard.cost.money import from_usd
from outboard.cost.quota import quota
from outboard.cost.rent import rent
from outboard.cost.result import CostResult, Line
from outboard.i18n import _
from outboard.planner.candidates import Candidate
from outboard.planner.circumstances import Circumstances
from outboard.planner.jobs import Asked, weekly
from outboard.planner.work import Forecast, forecast
from outboard.types.evidence import Evidence, Fact
from outboard.types.money import Cluster, Purchase, Quota, Rent, Use, Work
from outboard.types.plan import RENTED, Reason

GB = 1e9
HOUR = 3600.0


@dataclass(frozen=True)
class Judged:
    """A candidate with the job on it. ``cost`` is None where there are no hours to pay for."""

    candidate: Candidate
    forecast: Forecast
    work: Work | None
    cost: CostResult | None
    upfront: float | None
    reasons: tuple[Reason, ...]
    elapsed: Band | None = None  # until a job is done [h]
    load: float | None = None  # median share of what the place can give [1]

    @property
    def feasible(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.reasons

    @property
    def total(self) -> float:
        """Median over the horizon [USD], infinite where unknown."""
        found = self.cost.band_over_horizon if self.cost else None
        return found.p50 if found else math.inf

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
    forecasts = forecast(asked, [one.place for one in candidates])
    terms = _completed(asked, me, candidates)
    pairs = list(zip(terms, forecasts, strict=True))
    others = {c.id: _judge(asked, me, c, f, use, draws) for c, f in pairs if not isinstance(c.terms, Purchase)}
    instead = cheapest_rent(tuple(others.values()))
    rented = instead.candidate.terms if instead and isinstance(instead.candidate.terms, Rent) else None
    judged = tuple(others.get(c.id) or _judge(asked, me, c, f, use, draws, rented) for c, f in pairs)
    return Study(asked, me, use, draws, judged, rented)


def cheapest_rent(judged: Sequence[Judged]) -> Judged | None:
    """Return the cheapest acceptable rent by the hour or by reservation, None without any."""
    found = [one for one in judged if one.feasible and one.candidate.kind in RENTED]
    return min(found, key=lambda one: (one.total, one.hours), default=None)


def _judge(
    asked: Asked,
    me: Circumstances,
    candidate: Candidate,
    found: Forecast,
    use: Use,
    draws: Draws,
    instead: Rent | None = None,
) -> Judged:
    problems = (*candidate.problems, *((found.problem,) if found.problem else ()))
    if found.hours is None or (found.problem and found.problem.kind == "memory"):
        return Judged(candidate, found, None, None, None, problems)
    work = Work(found.hours, f"speed:{candidate.place.device.id}")
    cost = price(candidate, work, use, draws, instead)
    upfront = _upfront(candidate, use, draws)
    elapsed, load = band(cost.hours), _load(cost)
    dear = [Reason("price unknown", cost.unknown)] if cost.unknown else _too_dear(me, candidate, cost, upfront)
    against = [*dear, *_too_slow(asked, me, elapsed.p50, load)]
    return Judged(candidate, found, work, cost, upfront, (*problems, *against), elapsed, load)


def _load(cost: CostResult) -> float:
    """Return the median load; zero for who can always rent one more."""
    if math.isinf(cost.capacity_week):
        return 0.0
    hours = band(cost.machine_hours).p50
    return weekly(cost.use.jobs_per_month, hours) / cost.capacity_week


def price(candidate: Candidate, work: Work, use: Use, draws: Draws, instead: Rent | None) -> CostResult:
    """Return what ``candidate`` costs for ``work``. No run costs nothing, also where a run would never end."""
    cost = _priced(candidate, work, use, draws, instead)
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


def _upfront(candidate: Candidate, use: Use, draws: Draws) -> float | None:
    if not isinstance(candidate.terms, Purchase):
        return 0.0
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


def money(usd: float, me: Circumstances) -> str:
    """Return an amount in the person's currency, as errors and reasons say it."""
    amount = from_usd(usd, me.currency)
    return f"{amount:,.0f} {me.currency}" if abs(amount) >= 20 else f"{amount:.2f} {me.currency}"


def duration(hours: float) -> str:
    """Return hours as people say them.

    >>> duration(0.02), duration(3.14), duration(100.0)
    ('1 min', '3.1 h', '4.2 days')
    """
    if hours < 1.0:
        return _("{minutes:.0f} min").format(minutes=max(60 * hours, 1))
    return _("{hours:.1f} h").format(hours=hours) if hours < 72 else _("{days:.1f} days").format(days=hours / 24)


def _completed(asked: Asked, me: Circumstances, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with what the job's data adds: disk, transfers, and how a late spot job ends."""
    steady = {
        (one.provider, one.place.name): one.terms.rate
        for one in candidates
        if one.kind == "on-demand" and isinstance(one.terms, Rent) and not one.problems
    }
    return [
        replace(one, terms=_with_data(asked, me, one, one.terms, steady.get((one.provider, one.place.name))))
        if isinstance(one.terms, Rent)
        else replace(one, terms=replace(one.terms, upload_hours=_upload(asked, me)))
        if isinstance(one.terms, Quota)
        else one
        for one in candidates
    ]


def _with_data(asked: Asked, me: Circumstances, one: Candidate, terms: Rent, steady: Fact | None) -> Rent:
    size, result = asked.data_bytes, asked.said.data.result if asked.said.data else None
    deadline = asked.deadline(me)
    in_time = one.kind == "spot" and math.isfinite(deadline)
    return replace(
        terms,
        setup_hours=overhead("spot-restart"),
        upload_hours=_upload(asked, me),
        # Who comes back keeps the data there; who comes once does not.
        storage_gb=0.0 if size is None or asked.once() else size / GB,
        storage_price=overhead("block-storage"),
        egress_gb=(result or 0.0) / GB,
        egress_price=overhead("egress-hyperscaler") if one.market == "hyperscaler" else None,
        credit=me.credit,
        # With a deadline a late spot job finishes on demand; without one it stays where it is cheap.
        on_demand_rate=steady if in_time else None,
        deadline_hours=deadline if in_time else math.inf,
    )


def _upload(asked: Asked, me: Circumstances) -> Fact | None:
    """Return the hours that sending the data takes, shared by all runs that use it; None where it takes none."""
    if me.connection is None or asked.data_bytes is None:
        return None
    runs = max(asked.runs_per_month(me) * me.horizon * 12.0, 1.0)
    hours = asked.data_bytes / me.connection / HOUR / runs
    return Fact(hours, "h", _("data over the person's connection"), Evidence.MEASURED_HERE)
