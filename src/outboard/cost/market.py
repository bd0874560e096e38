"""The market that rents and used cards share: one draw decides whether it is a bust, calm or a scarcity."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from outboard.cost import drift
from outboard.cost.arrays import Array
from outboard.cost.draws import STANDARD, Draws
from outboard.cost.facts import toml
from outboard.types.money import Ageing

MARKET = "market"


@dataclass(frozen=True, slots=True)
class Regimes:
    """Market regimes in order, from bust to scarcity; ``edges`` are the standard normal values between them."""

    names: tuple[str, ...]
    edges: Array
    decay: Array
    decay_sd: Array


@lru_cache
def regimes() -> Regimes:
    """Return the mixture that data/depreciation.toml states.

    >>> regimes().names
    ('bust', 'calm', 'scarcity')
    """
    table = toml("depreciation.toml")["regime"]
    cumulative = np.cumsum([row["weight"] for row in table])[:-1]
    return Regimes(
        tuple(row["name"] for row in table),
        np.array([STANDARD.inv_cdf(float(edge)) for edge in cumulative]),
        np.array([row["consumer_k"] for row in table]),
        np.array([row["consumer_sd"] for row in table]),
    )


@lru_cache(maxsize=64)
def regime(draws: Draws) -> Array:
    """Return the number of the regime in each world."""
    return np.searchsorted(regimes().edges, draws.normal(MARKET)).astype(np.float64)


@lru_cache(maxsize=64)
def decay(draws: Draws, ageing: Ageing) -> Array:
    """Return k of V = V0 exp(-k t) in each world [1/year]; infinite for what nobody buys back."""
    if ageing == "none":
        return np.full(draws.count, np.inf)
    if ageing == "consumer":
        which = regime(draws).astype(np.int64)
        return regimes().decay[which] + regimes().decay_sd[which] * draws.normal("consumer cards")
    table = toml("depreciation.toml")[ageing]
    # What ages fast in a bust ages slowly in a scarcity; the rest of the spread is its own.
    common = drift.stored().market_correlation
    own = np.sqrt(1.0 - common**2) * draws.normal(f"{ageing} ageing")
    return table["k"] + table["sd"] * (own - common * draws.normal(MARKET))


@lru_cache(maxsize=64)
def lump(draws: Draws, ageing: Ageing, years: float) -> Array:
    """Return the factor by which the next generation cuts the value of data-centre cards, if it comes in time [1]."""
    if ageing != "datacentre":
        return np.ones(draws.count)
    table = toml("depreciation.toml")["datacentre"]
    arrives = uniform(draws, "next generation") * table["generation_years"]
    cut = table["lump_low"] + (table["lump_high"] - table["lump_low"]) * uniform(draws, "generation cut")
    return np.where(arrives <= years, 1.0 - cut, 1.0)


def value_factor(draws: Draws, ageing: Ageing, since: float, until: float) -> Array:
    """Return what the market makes of one unit of value between two dates of the horizon, in years [1]."""
    moved = np.exp(-decay(draws, ageing) * (until - since))
    return moved * lump(draws, ageing, until) / lump(draws, ageing, since)


@lru_cache(maxsize=64)
def rent_growth(draws: Draws) -> Array:
    """Return the logarithmic growth of rents in each world [1/year]: up in a scarcity, down in a bust."""
    known = drift.stored()
    own = np.sqrt(1.0 - known.market_correlation**2) * draws.normal("rents")
    return known.mean + known.sd * (known.market_correlation * draws.normal(MARKET) + own)


def uniform(draws: Draws, cause: str) -> Array:
    """Return the normal draws of ``cause`` as a share between 0 and 1."""
    z = draws.normal(cause)
    # The logistic curve is within 0.01 of the normal distribution function, closer than any input here is known.
    return 1.0 / (1.0 + np.exp(-1.702 * z))
