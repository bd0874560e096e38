"""What a rented machine costs: on demand, spot, by the month or reserved; with disk, transfers and own time."""

from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from outboard.cost import drift, market
from outboard.cost.arrays import HOURS_PER_MONTH, HOURS_PER_WEEK, MONTHS_PER_YEAR, Array
from outboard.cost.draws import Draws
from outboard.cost.facts import overhead
from outboard.cost.formulas import billed_hours, finish_on_demand, growing_years, spot_hours
from outboard.cost.result import CostResult, Line, discounted_years
from outboard.cost.terms import drawn, stated, unknown
from outboard.i18n import _
from outboard.types.estimate import Term
from outboard.types.evidence import Fact
from outboard.types.money import Rent, Use, Work

BY_THE_HOUR = {"on-demand", "spot"}


@dataclass(frozen=True, slots=True)
class _Costs:
    """Present values over the horizon [USD], and costs and hours per job."""

    machine: Array  # per job, zero where it is paid by the month
    commitment: Array  # over the horizon, zero where it is paid by the hour
    disk: Array
    egress: Array  # per job
    attention: Array  # per job
    waiting: Array  # per job
    running: Array  # undisturbed hours stretched by preemptions [h]
    billed: Array  # [h]
    elapsed: Array  # [h]


def rent(place: Rent, work: Work, use: Use, draws: Draws) -> CostResult:
    """Return the cost of renting ``place`` for ``use``. A missing price makes the cost unknown, not zero."""
    hours = draws.of(work.hours, work.cause)
    price = place.monthly_price if place.billing == "monthly" else place.rate
    if price is None:
        why = _("no price is known for {place}").format(place=place.name)
        nothing = partial(unknown, place.name, "USD", why, (stated(_("price"), None, why),))
        return CostResult(place.name, "rent", use, (), hours, hours, nothing, unknown=why)
    costs = _costs(place, price, work, use, draws)
    per_job = costs.machine + costs.egress + costs.attention + costs.waiting
    lines = [Line(costs.commitment + costs.disk - place.credit, per_job)]
    if place.credit:
        lines.append(Line(np.zeros(draws.count), np.zeros(draws.count)))  # credit left over is no income
    explain = partial(_explain, place, price, work, use, draws)
    # Who rents by the hour can rent a second instance; who pays by the month has one.
    capacity = np.inf if place.billing in BY_THE_HOUR else HOURS_PER_WEEK
    return CostResult(
        place.name, "rent", use, tuple(lines), costs.elapsed, costs.running, explain, capacity_week=capacity
    )


def _costs(place: Rent, price: Fact, work: Work, use: Use, draws: Draws) -> _Costs:
    zero = np.zeros(draws.count)
    months = discounted_years(use.horizon_years, use.discount_rate) * MONTHS_PER_YEAR
    running, on_demand = _running(place, draws.of(work.hours, work.cause), draws)
    setup = _of(place.setup_hours, "setup", draws)
    upload = _of(place.upload_hours, "upload", draws)
    billed = billed_hours(running + setup, place.minimum_hours, place.increment_hours)
    level = _price_level(place, use, draws)
    rate = level * draws.of(price, f"rate:{place.name}")
    finishing = level * on_demand * _of(place.on_demand_rate, f"rate:{place.name}", draws)
    by_hour = place.billing in BY_THE_HOUR
    elapsed = upload + setup + running + on_demand
    return _Costs(
        machine=rate * billed + finishing if by_hour else zero,
        commitment=zero if by_hour else months * _monthly(place, rate, draws),
        disk=months * place.storage_gb * _of(place.storage_price, "storage price", draws),
        egress=place.egress_gb * _of(place.egress_price, "egress price", draws),
        attention=use.time_value * _of(place.hands_on_hours, "hands on", draws),
        waiting=use.waiting_value * elapsed if use.waiting_value else zero,
        running=running + on_demand,
        billed=billed,
        elapsed=elapsed,
    )


def _running(place: Rent, hours: Array, draws: Draws) -> tuple[Array, Array]:
    """Return the hours on this rent, and those on demand that a spot job with a deadline ends with [h]."""
    if place.billing != "spot":
        return hours, np.zeros(draws.count)
    between = draws.of(place.between_losses or overhead("spot-hours-between-losses"), f"preemption:{place.name}")
    restart = draws.of(place.restart_hours or overhead("spot-restart"), "spot restart")
    on_spot = spot_hours(hours, between, restart, place.checkpoint_hours)
    if place.on_demand_rate is None:
        return on_spot, np.zeros(draws.count)
    return finish_on_demand(hours, on_spot, place.deadline_hours)


def _monthly(place: Rent, rate: Array, draws: Draws) -> Array:
    """Return the fixed price of a month [USD/month]: a reservation is paid for all its 730 hours."""
    if place.billing == "monthly":
        return rate
    standard = "commit-1y-ratio" if place.billing == "reserved-1y" else "commit-3y-ratio"
    return rate * HOURS_PER_MONTH * draws.of(place.commitment_ratio or overhead(standard), standard)


def _price_level(place: Rent, use: Use, draws: Draws) -> Array:
    """Return the average price over the horizon relative to the listed one [1].

    The listed price is already some months old. A reservation fixes today's price for its term.
    """
    if place.fixed_price:
        return np.ones(draws.count)
    if place.billing in {"reserved-1y", "reserved-3y"}:
        return np.exp(market.rent_growth(draws) * place.price_age_years)
    return _mean_level(draws, use.horizon_years, use.discount_rate, place.price_age_years)


@lru_cache(maxsize=64)
def _mean_level(draws: Draws, years: float, rate: float, age: float) -> Array:
    with_growth = growing_years(years, rate, market.rent_growth(draws), age, drift.stored().span_years)
    return with_growth / discounted_years(years, rate)


def _of(fact: Fact | None, cause: str, draws: Draws) -> Array:
    return np.zeros(draws.count) if fact is None else draws.of(fact, cause)


def _explain(place: Rent, price: Fact, work: Work, use: Use, draws: Draws) -> Term:
    costs = _costs(place, price, work, use, draws)
    result = rent(place, work, use, draws)
    listed = stated(_("price"), price)
    level = drawn(_("price over the horizon / listed"), _price_level(place, use, draws), "1", "mean of exp(g t)")
    billed = drawn(
        _("hours billed"), costs.billed, "h", "W / (1 - lost/MTBP) + setup", (stated(_("hours"), work.hours),)
    )
    children = (
        drawn(_("machine per job"), costs.machine, "USD", "rate * hours billed", (listed, level, billed)),
        drawn(_("commitment"), costs.commitment, "USD", "months * monthly price", (listed, level)),
        drawn(_("disk"), costs.disk, "USD", "GB * price * months, running or not"),
        drawn(_("egress per job"), costs.egress, "USD", "GB * price"),
        drawn(_("own time per job"), costs.attention, "USD", "hours * value of an hour"),
        drawn(_("waiting per job"), costs.waiting, "USD", "hours until done * value of waiting"),
    )
    formula = "jobs (machine + egress + own time + waiting) + commitment + disk - credit"
    return drawn(place.name, result.over_horizon, "USD", formula, children)
