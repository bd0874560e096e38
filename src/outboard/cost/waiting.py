"""Rent now and decide in six months: what that costs, or saves, over buying today."""

from dataclasses import dataclass, replace

import numpy as np

from outboard.cost import market
from outboard.cost.arrays import MONTHS_PER_YEAR, Array, Band, band
from outboard.cost.breakeven import Choice
from outboard.cost.buy import capital, resale
from outboard.cost.draws import Draws
from outboard.cost.formulas import present_value, waiting_price
from outboard.types.money import Purchase, Use


@dataclass(frozen=True, slots=True)
class Waiting:
    """Cost of waiting over buying now [USD], positive when waiting costs, and what one would do then, by market."""

    price: Band
    mean: float
    probability_waiting_pays: float
    then: dict[str, str]  # regime -> "buy" or "rent"


def price_of_waiting(choice: Choice, use: Use, draws: Draws, months: float = 6.0) -> Waiting | None:
    """Return the price of renting for ``months`` and then deciding, knowing by then how the market went.

    None when a price is unknown, the horizon ends before the decision, or the purchase comes in stages as it is.
    """
    wait = months / MONTHS_PER_YEAR
    now, renting = choice.own(use, draws), choice.rent(use, draws)
    if choice.phases or now.unknown or renting.unknown or wait >= use.horizon_years:
        return None
    later = _wait_then_buy(choice, use, draws, wait)
    regime = market.regime(draws)
    price = waiting_price(now.over_horizon, later, renting.over_horizon, regime)
    return Waiting(
        band(price), float(price.mean()), float(np.mean(price < 0)), _then(later, renting.over_horizon, regime)
    )


def _wait_then_buy(choice: Choice, use: Use, draws: Draws, wait: float) -> Array:
    """Return the present value of renting first and buying at ``wait`` years [USD].

    The machine then costs what the market makes of it in the meantime, and is sold on the same day for the same money.
    """
    rest = replace(use, horizon_years=use.horizon_years - wait)
    running = choice.own(rest, draws).over_horizon - capital(choice.purchase, rest, draws)
    running = running + resale(choice.purchase, rest, draws)
    price = _capital_after(choice.purchase, use, draws, wait)
    renting = choice.rent(replace(use, horizon_years=wait), draws).over_horizon
    return renting + present_value(running + price, use.discount_rate, wait) - resale(choice.purchase, use, draws)


def _capital_after(purchase: Purchase, use: Use, draws: Draws, wait: float) -> Array:
    total = np.zeros(draws.count)
    for part in purchase.parts:
        alone = capital(replace(purchase, parts=(part,)), use, draws)
        # What cannot be sold again does not follow the market of what can.
        moved = np.ones(draws.count) if part.ageing == "none" else np.exp(-market.decay(draws, part.ageing) * wait)
        total = total + alone * moved
    return total


def _then(later: Array, renting: Array, regime: Array) -> dict[str, str]:
    choices: dict[str, str] = {}
    for number, name in enumerate(market.regimes().names):
        here = regime == number
        if here.any():
            choices[name] = "rent" if renting[here].mean() < later[here].mean() else "buy"
    return choices
