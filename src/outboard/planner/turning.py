"""When buying beats renting for this job, and what would flip it."""

import math
from collections.abc import Sequence

from outboard.cost.arrays import Band
from outboard.cost.breakeven import BreakEven, Choice, break_even
from outboard.cost.waiting import price_of_waiting
from outboard.i18n import _
from outboard.planner.judge import BEARABLE, Judged, Study, cheapest_rent
from outboard.types.money import Purchase, Rent
from outboard.types.plan import BOUGHT, Flip, Interval, PlanBreakEven


def turning(found: Study, chosen: Judged | None) -> tuple[PlanBreakEven | None, str]:
    """Return the break-even between the best purchase and the cheapest acceptable rent, else why there is none."""
    rented = cheapest_rent(found.judged)
    bought = _purchase(found.judged, chosen)
    if rented is None:
        return None, _("nothing that could be rented is acceptable")
    if bought is None:
        return None, _("nothing that could be bought is acceptable")
    choice = choice_of(bought, rented)
    if choice is None:
        return None, _("a price is unknown")
    result = break_even(choice, found.use, found.draws)
    if result is None:
        return None, _("a price is unknown")
    wait = price_of_waiting(choice, found.use, found.draws)
    return _told(result, bought, rented, interval(wait.price) if wait else None), ""


def choice_of(bought: Judged, rented: Judged) -> Choice | None:
    """Return the two as a choice that the cost model knows."""
    own, rent = bought.candidate.terms, rented.candidate.terms
    if not isinstance(own, Purchase) or not isinstance(rent, Rent) or bought.work is None or rented.work is None:
        return None
    return Choice(own, bought.work, rent, rented.work, bought.phases)


def _purchase(judged: Sequence[Judged], chosen: Judged | None) -> Judged | None:
    """Return the chosen purchase, else the cheapest feasible one, else the cheapest that only lacks the money."""
    if chosen is not None and chosen.candidate.kind in BOUGHT:
        return chosen
    able = [
        one
        for one in judged
        if one.candidate.kind in BOUGHT and one.cost and {reason.kind for reason in one.reasons} <= BEARABLE
    ]
    return min(able, key=lambda one: (not one.feasible, one.total), default=None)


def _told(result: BreakEven, bought: Judged, rented: Judged, wait: Interval | None) -> PlanBreakEven:
    return PlanBreakEven(
        own=bought.candidate.id,
        rent=rented.candidate.id,
        own_label=bought.candidate.label,
        rent_label=rented.candidate.label,
        hours_per_week=interval(result.hours_week),
        jobs_per_month=interval(result.jobs_month),
        stated_hours_per_week=result.stated_hours_week,
        probability_never=result.probability_never,
        probability_at_stated_use=result.probability_at_stated_use,
        payback_months=interval(result.payback_months),
        sensitivity=tuple(
            Flip(one.cause, one.label, _finite(one.at_low), _finite(one.at_high), one.flips)
            for one in result.sensitivity
        ),
        price_of_waiting=wait,
    )


def interval(found: Band) -> Interval:
    """Return a band of the cost model as an interval of the plan."""
    return Interval(found.p10, found.p50, found.p90)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
