"""Bands: lognormal, from independent causes whose spreads add in quadrature."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

# An 80 % band reaches 1.2816 standard deviations to either side.
Z80 = 1.2815515655446004


@dataclass(frozen=True)
class Cause:
    """One reason why a forecast may be off. ``sigma`` is the standard deviation of its effect on ln(forecast) [1]."""

    name: str
    sigma: float


@dataclass(frozen=True)
class Band:
    """The range that should hold the truth four times in five, and why it is as wide as it is, widest cause first."""

    low: float
    high: float
    sigma: float
    causes: tuple[Cause, ...]


def band(value: float, causes: Iterable[Cause]) -> Band:
    """The 80 % band around ``value``.

    >>> found = band(100.0, [Cause("model", 0.1), Cause("link", 0.02)])
    >>> round(found.low, 1), round(found.high, 1), found.causes[0].name
    (87.7, 114.0, 'model')
    """
    ranked = tuple(sorted((cause for cause in causes if cause.sigma > 0), key=lambda cause: -cause.sigma))
    sigma = math.sqrt(sum(cause.sigma**2 for cause in ranked))
    factor = math.exp(Z80 * sigma)
    return Band(value / factor, value * factor, sigma, ranked)


def fact_sigma(value: float, low: float | None, high: float | None) -> float:
    """Standard deviation of ln(fact) when ``low`` and ``high`` are taken as its 80 % range; 0 without a range.

    >>> round(fact_sigma(2.5e9, 2.1e9, 3.1e9), 3)
    0.152
    """
    if value <= 0 or low is None or high is None or low <= 0 or high <= low:
        return 0.0
    return math.log(high / low) / (2 * Z80)
