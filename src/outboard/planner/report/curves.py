"""What the charts draw: cost over time and over use of the two sides of the break-even."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from outboard.cost.arrays import HOURS_PER_WEEK, MONTHS_PER_YEAR, WEEKS_PER_YEAR, band
from outboard.cost.breakeven import Choice
from outboard.cost.draws import Recorder
from outboard.cost.money import from_usd
from outboard.cost.result import CostResult
from outboard.planner.judge import Judged, Study
from outboard.planner.turning import choice_of
from outboard.types.money import Use
from outboard.types.plan import Plan

STEPS = 24


@dataclass(frozen=True)
class Point:
    """Cost of one side at one place of the x axis, in the person's currency."""

    side: str
    x: float
    low: float
    middle: float
    high: float


def sides(found: Study, plan: Plan) -> tuple[Choice, str, str] | None:
    """Return the purchase and the rent of the break-even, with their names; None without one."""
    turn = plan.break_even
    if turn is None:
        return None
    by_id = {one.candidate.id: one for one in found.judged}
    own, rented = by_id[turn.own], by_id[turn.rent]
    choice = choice_of(own, rented)
    return None if choice is None else (choice, _name(own), _name(rented))


def _name(one: Judged) -> str:
    return one.candidate.label


def over_time(found: Study, plan: Plan) -> list[Point]:
    """Return cost after each month of use, the machine sold on that day."""
    horizon = found.use.horizon_years
    uses = [
        (horizon * MONTHS_PER_YEAR * i / STEPS, replace(found.use, horizon_years=horizon * i / STEPS)) for i in _i()
    ]
    return _points(found, plan, uses)


def over_use(found: Study, plan: Plan) -> list[Point]:
    """Return cost over the horizon by hours a week of the bought machine, to beyond the break-even."""
    turn, known = plan.break_even, sides(found, plan)
    if turn is None or known is None:
        return []
    middle = turn.hours_per_week.p50
    reach = middle if middle <= HOURS_PER_WEEK else HOURS_PER_WEEK / 2
    most = min(max(2 * reach, 2 * turn.stated_hours_per_week, 1.0), HOURS_PER_WEEK)
    # A machine works its hours in proportion to its jobs.
    per_hour = _jobs_per_hour(known[0], found.use)
    uses = [(most * i / STEPS, replace(found.use, jobs_per_month=per_hour * most * i / STEPS)) for i in _i()]
    return _points(found, plan, uses)


def _jobs_per_hour(choice: Choice, use: Use) -> float:
    """Return jobs a month for one hour a week of the bought machine."""
    return WEEKS_PER_YEAR / MONTHS_PER_YEAR / float(choice.own(use, Recorder()).machine_hours[0])


def _i() -> range:
    return range(1, STEPS + 1)


def _points(found: Study, plan: Plan, uses: Iterable[tuple[float, Use]]) -> list[Point]:
    known = sides(found, plan)
    if known is None:
        return []
    choice, own, rented = known
    both: list[tuple[str, Callable[[Use], CostResult]]] = [
        (own, lambda use: choice.own(use, found.draws)),
        (rented, lambda use: choice.rent(use, found.draws)),
    ]
    return [_point(name, x, cost(use), plan.currency) for x, use in uses for name, cost in both]


def _point(name: str, x: float, cost: CostResult, currency: str) -> Point:
    spread = band(cost.over_horizon)
    low, middle, high = (from_usd(value, currency) for value in (spread.p10, spread.p50, spread.p90))
    return Point(name, x, low, middle, high)
