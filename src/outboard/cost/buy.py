"""What an owned machine costs: bought in stages, run, repaired, looked after, and sold in the end."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from outboard.cost import market
from outboard.cost.arrays import HOURS_PER_WEEK, MONTHS_PER_YEAR, WEEKS_PER_YEAR, Array
from outboard.cost.draws import Draws
from outboard.cost.facts import toml
from outboard.cost.formulas import energy_cost, present_value, resale_value
from outboard.cost.result import CostResult, Line, discounted_years
from outboard.cost.terms import drawn, stated, unknown
from outboard.i18n import _
from outboard.types.estimate import Term
from outboard.types.evidence import Fact
from outboard.types.money import Part, Purchase, Rent, Use, Work

ELECTRICITY = "electricity"


@dataclass(frozen=True, slots=True)
class _Costs:
    """Present values over the horizon [USD], and costs per job [USD]."""

    price: Array
    resale: Array
    idle_energy: Array
    administration: Array
    upkeep: Array
    failures: Array
    busy_energy: Array  # per job, when the machine would else be off
    busy_energy_over_idle: Array  # per job, when it would else idle
    downtime: Array  # per job
    hours: Array


def buy(purchase: Purchase, work: Work, use: Use, draws: Draws, instead: Rent | None = None) -> CostResult:
    """Return the cost of ``purchase`` for ``use``.

    ``instead`` is what would be rented while a failed machine is away.
    """
    explain = partial(_explain, purchase, work, use, draws, instead)
    missing = [part.name for part in purchase.parts if part.price is None]
    if missing:
        hours = draws.of(work.hours, work.cause)
        why = _("no price is known for {parts}").format(parts=", ".join(missing))
        nothing = partial(unknown, purchase.name, "USD", why)
        return CostResult(purchase.name, "buy", use, (), hours, hours, nothing, unknown=why)
    costs = _costs(purchase, work, use, draws, instead)
    lines = _lines(purchase, costs, costs.price - costs.resale)
    return CostResult(purchase.name, "buy", use, lines, costs.hours, costs.hours, explain)


def running(purchase: Purchase, work: Work, use: Use, draws: Draws, instead: Rent | None = None) -> tuple[Line, ...]:
    """Return what ``purchase`` costs beside being bought and sold: energy, repairs, upkeep and the owner's hours."""
    return _lines(purchase, _costs(purchase, work, use, draws, instead), np.zeros(draws.count))


def _lines(purchase: Purchase, costs: _Costs, owning: Array) -> tuple[Line, ...]:
    fixed = owning + costs.administration + costs.upkeep + costs.failures
    busy = Line(fixed, costs.busy_energy + costs.downtime)
    if not purchase.on_hours_week:
        return (busy,)
    # Up to the hours that it is on anyway, a busy hour replaces an idle one; beyond, nothing idles.
    return Line(fixed + costs.idle_energy, costs.busy_energy_over_idle + costs.downtime), busy


def _costs(purchase: Purchase, work: Work, use: Use, draws: Draws, instead: Rent | None) -> _Costs:
    years = discounted_years(use.horizon_years, use.discount_rate)
    hours = draws.of(work.hours, work.cause)
    tariff = draws.of(purchase.electricity, ELECTRICITY)
    pue = draws.of(purchase.pue, "pue") if purchase.pue else np.ones(draws.count)
    busy = draws.of(purchase.busy_watts, f"watts:{purchase.name}")
    idle = draws.of(purchase.idle_watts, f"idle watts:{purchase.name}")
    on_hours = purchase.on_hours_week * WEEKS_PER_YEAR
    months = years * MONTHS_PER_YEAR
    share = purchase.share
    return _Costs(
        price=capital(purchase, use, draws),
        resale=resale(purchase, use, draws),
        idle_energy=share * years * energy_cost(tariff, 0.0, 0.0, on_hours, idle, pue),
        administration=share * months * use.time_value * _of(purchase.admin_hours_month, "admin", draws),
        upkeep=share * years * _upkeep_year(purchase, draws),
        failures=share * years * _of(purchase.failures_year, "failures", draws) * _replacement(purchase, draws),
        busy_energy=energy_cost(tariff, hours, busy, pue=pue),
        busy_energy_over_idle=energy_cost(tariff, hours, np.maximum(busy - idle, 0.0), pue=pue),
        downtime=hours * _downtime_rate(purchase, draws, instead),
        hours=hours,
    )


def capital(purchase: Purchase, use: Use, draws: Draws) -> Array:
    """Return the present value of all stages of ``purchase``, this use's share of it [USD]."""
    return purchase.share * sum((_price(part, use, draws) for part in purchase.parts), np.zeros(draws.count))


def resale(purchase: Purchase, use: Use, draws: Draws) -> Array:
    """Return the present value of selling every part when its time has come, this use's share of it [USD].

    A part is worth what the market gives for its kind and age then, whenever it was bought.
    """
    return purchase.share * sum((_resale(part, use, draws) for part in purchase.parts), np.zeros(draws.count))


def _resale(part: Part, use: Use, draws: Draws) -> Array:
    known = part.used_value or part.price
    if known is None or part.ageing == "none":
        return np.zeros(draws.count)
    end = use.horizon_years if part.sold_years is None else part.sold_years
    table = toml("depreciation.toml")
    noise = table["idiosyncratic"]["log_sd"] * draws.normal(f"resale:{part.name}")
    sold = resale_value(
        draws.of(known, f"price:{part.name}"),
        end - part.priced_years,
        market.decay(draws, part.ageing),
        noise,
        table["selling"]["fee"],
        table["selling"]["shipping_usd"],
    )
    sold = sold * market.lump(draws, part.ageing, end)
    return present_value(sold, use.discount_rate, end)


def _price(part: Part, use: Use, draws: Draws) -> Array:
    if part.price is None:
        return np.full(draws.count, np.nan)
    price = draws.of(part.price, f"price:{part.name}")
    if part.moves and part.ageing != "none":
        price = price * market.value_factor(draws, part.ageing, part.priced_years, part.at_years)
    return present_value(price, use.discount_rate, part.at_years)


def _replacement(purchase: Purchase, draws: Draws) -> Array:
    """Return what replacing every device once would cost [USD], less what the warranty pays."""
    prices = [part.price.value for part in purchase.parts if part.price is not None]
    one = purchase.replacement.value if purchase.replacement else max(prices, default=0.0)
    return np.full(draws.count, purchase.devices * one * (1.0 - purchase.warranty_share))


def _downtime_rate(purchase: Purchase, draws: Draws, instead: Rent | None) -> Array:
    """Return what renting during repairs adds to an own hour: lambda n days 24 rate / (168 * 52) [USD/h]."""
    if instead is None or instead.rate is None:
        return np.zeros(draws.count)
    rate = draws.of(instead.rate, f"rate:{instead.name}")
    failures = _of(purchase.failures_year, "failures", draws) * purchase.devices
    return failures * purchase.days_down * 24.0 * rate / (HOURS_PER_WEEK * WEEKS_PER_YEAR)


def _upkeep_year(purchase: Purchase, draws: Draws) -> Array:
    list_price = sum(part.price.value for part in purchase.parts if part.price is not None)
    contract = _of(purchase.maintenance_share, "maintenance", draws) * list_price
    return contract + MONTHS_PER_YEAR * _of(purchase.monthly_fee, f"fee:{purchase.name}", draws)


def _of(fact: Fact | None, cause: str, draws: Draws) -> Array:
    return np.zeros(draws.count) if fact is None else draws.of(fact, cause)


def _explain(purchase: Purchase, work: Work, use: Use, draws: Draws, instead: Rent | None) -> Term:
    costs = _costs(purchase, work, use, draws, instead)
    result = buy(purchase, work, use, draws, instead)
    prices = tuple(stated(part.name, part.price) for part in purchase.parts)
    tariff = stated(_("electricity"), purchase.electricity)
    busy = (tariff, stated(_("busy draw"), purchase.busy_watts), stated(_("hours per job"), work.hours))
    idle = (tariff, stated(_("idle draw"), purchase.idle_watts))
    rate = stated(_("failures a year"), purchase.failures_year, _("not counted"))
    children = (
        drawn(_("purchase"), costs.price, "USD", "sum P_s / (1 + r)^t_s", prices),
        drawn(_("resale"), costs.resale, "USD", "P exp(-k T) exp(eps) (1 - fee) - shipping", prices),
        drawn(_("idle energy"), costs.idle_energy, "USD", "price PUE H_idle P_idle / 1000, if never busy", idle),
        drawn(_("energy per job"), costs.busy_energy, "USD", "price PUE H P_busy / 1000", busy),
        drawn(_("administration"), costs.administration, "USD", "hours a month * 12 T * value of an hour"),
        drawn(_("upkeep"), costs.upkeep, "USD", "T (maintenance share * price + 12 fee)"),
        drawn(_("failures"), costs.failures, "USD", "T lambda P_replace (1 - warranty)", (rate,)),
    )
    formula = "purchase - resale + energy + administration + upkeep + failures"
    return drawn(purchase.name, result.over_horizon, "USD", formula, children)
