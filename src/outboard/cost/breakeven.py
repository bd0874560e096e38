"""From how many hours a week buying beats renting, how sure that is, and what would flip it."""

from dataclasses import dataclass, field, replace

import numpy as np

from outboard.cost.arrays import HOURS_PER_WEEK, MONTHS_PER_YEAR, WEEKS_PER_YEAR, Array, Band, band
from outboard.cost.buy import buy, capital
from outboard.cost.draws import Draws, Recorder
from outboard.cost.formulas import break_even_hours, payback
from outboard.cost.rent import rent
from outboard.cost.result import CostResult, discounted_years
from outboard.cost.sensitivity import Answer, Swing, swing_of, swings
from outboard.cost.staged import Phase, scheduled, staged
from outboard.cost.terms import drawn, unknown
from outboard.i18n import _
from outboard.types.estimate import Term
from outboard.types.money import Purchase, Rent, Use, Work


@dataclass(frozen=True, slots=True)
class Choice:
    """A purchase, the rent that it competes with, and the same job on both. ``phases`` where it comes in stages."""

    purchase: Purchase
    own_work: Work
    rented: Rent
    rent_work: Work
    phases: tuple[Phase, ...] = ()

    def own(self, use: Use, draws: Draws) -> CostResult:
        """Return the cost of buying; while a failed machine is away, this rent replaces it."""
        if self.phases:
            return staged(self.phases, use, draws, self.rented)
        return buy(self.purchase, self.own_work, use, draws, self.rented)

    def capital(self, use: Use, draws: Draws) -> Array:
        """Return the present value of all that is bought [USD]."""
        return capital(scheduled(self.phases, use.horizon_years) if self.phases else self.purchase, use, draws)

    def kept(self) -> "Choice":
        """Return the same with nothing ever sold."""
        phases = tuple(replace(phase, purchase=_unsold(phase.purchase)) for phase in self.phases)
        return replace(self, purchase=_unsold(self.purchase), phases=phases)

    def rent(self, use: Use, draws: Draws) -> CostResult:
        """Return the cost of renting."""
        return rent(self.rented, self.rent_work, use, draws)


@dataclass(frozen=True, slots=True)
class BreakEven:
    """When buying beats renting, in hours of the owned machine. Infinite hours mean never within a week's 168."""

    hours_week: Band
    jobs_month: Band
    probability_never: float
    stated_hours_week: float
    probability_at_stated_use: float
    payback_months: Band
    sensitivity: tuple[Swing, ...]
    draws: Array = field(repr=False)  # hours a week in every world
    tree: Term = field(repr=False)

    @property
    def never(self) -> bool:
        """Whether buying does not pay at any use in the median world."""
        return bool(np.isinf(self.hours_week.p50))


def break_even(choice: Choice, use: Use, draws: Draws) -> BreakEven | None:
    """Return when ``choice.purchase`` beats ``choice.rented``, or None when one of them has no known price."""
    own, rented = choice.own(use, draws), choice.rent(use, draws)
    if own.unknown or rented.unknown:
        return None
    jobs = jobs_month(own, rented, use)
    hours = within_a_week(hours_week(jobs, own))
    jobs = np.where(np.isinf(hours), np.inf, jobs)
    stated = float(np.median(hours_week(np.full(draws.count, use.jobs_per_month), own)))
    wins = use.jobs_per_month >= jobs if use.jobs_per_month > 0 else np.zeros(draws.count)
    return BreakEven(
        hours_week=band(hours),
        jobs_month=band(jobs),
        probability_never=float(np.mean(np.isinf(jobs))),
        stated_hours_week=stated,
        probability_at_stated_use=float(np.mean(wins)),
        payback_months=band(payback_months(choice, use, draws)),
        sensitivity=sensitivity(choice, use),
        draws=hours,
        tree=_explain(hours, own, rented),
    )


def jobs_month(own: CostResult, rented: CostResult, use: Use) -> Array:
    """Return the jobs a month above which owning is cheaper, in every world; infinity where it never is.

    Owning costs the larger of its lines, so it must beat the rent on each of them. The rent is taken without the floor
    that leftover credit puts under it.
    """
    line = rented.lines[0]
    needed = np.zeros(own.hours.size)
    for mine in own.lines:
        needed = np.maximum(needed, break_even_hours(mine.fixed - line.fixed, line.per_job, mine.per_job))
    return needed / (discounted_years(use.horizon_years, use.discount_rate) * MONTHS_PER_YEAR)


def hours_week(jobs: Array, own: CostResult) -> Array:
    """Return ``jobs`` a month as busy hours a week of the owned machine [h/week]."""
    return jobs * own.machine_hours * MONTHS_PER_YEAR / WEEKS_PER_YEAR


def within_a_week(hours: Array) -> Array:
    """Return ``hours`` a week with what no week can hold as never: one machine works 168 hours at most.

    >>> within_a_week(np.array([20.0, 200.0]))
    array([20., inf])
    """
    return np.where(hours > HOURS_PER_WEEK, np.inf, hours)


def payback_months(choice: Choice, use: Use, draws: Draws) -> Array:
    """Return the months after which the purchase has paid for itself at the stated use: no discounting, no resale.

    Capital over what a month of renting costs more than a month of owning; infinity where it saves nothing.
    """
    if use.jobs_per_month == 0:
        return np.full(draws.count, np.inf)
    plain = replace(use, discount_rate=0.0)
    kept = choice.kept()
    months = use.horizon_years * MONTHS_PER_YEAR
    paid = kept.capital(plain, draws)
    own_month = (kept.own(plain, draws).over_horizon - paid) / months
    return payback(paid, choice.rent(plain, draws).over_horizon / months, own_month)


def _unsold(purchase: Purchase) -> Purchase:
    return replace(purchase, parts=tuple(replace(part, ageing="none") for part in purchase.parts))


def sensitivity(choice: Choice, use: Use) -> tuple[Swing, ...]:
    """Return what moves the break-even most: every uncertain input from its 10th to its 90th percentile, ranked.

    What the person stated is moved too: half and twice the horizon, and the own hour from free to twice its value.
    """

    def answer(under: Use) -> Answer:
        def hours(draws: Draws) -> Array:
            own = choice.own(under, draws)
            return within_a_week(hours_week(jobs_month(own, choice.rent(under, draws), under), own))

        return hours

    usual = float(choice.own(use, Recorder()).machine_hours[0])
    stated = usual * use.jobs_per_month * MONTHS_PER_YEAR / WEEKS_PER_YEAR
    found = list(swings(answer(use), stated))
    years = use.horizon_years
    half, double = replace(use, horizon_years=years / 2), replace(use, horizon_years=years * 2)
    found.append(swing_of("horizon", answer(half), answer(double), stated))
    if use.time_value > 0:
        free, dear = replace(use, time_value=0.0), replace(use, time_value=2 * use.time_value)
        found.append(swing_of("time value", answer(free), answer(dear), stated))
    return tuple(sorted((one for one in found if one.swing > 0), key=lambda one: -one.swing))


def _explain(hours: Array, own: CostResult, rented: CostResult) -> Term:
    formula = "max over lines of (F_own - F_rent) / (rent per job - own per job), as hours a week"
    if np.isinf(np.median(hours)):
        why = _("never: no use that fits into a week earns back what it costs to own")
        return unknown(_("break-even"), "h/week", why, (own.tree, rented.tree))
    return drawn(_("break-even"), hours, "h/week", formula, (own.tree, rented.tree))
