"""How rents move: fitted once to pairs of old and new prices of the same product, and stored with the data.

Old prices serve only this purpose. The pairs include the falls until 2025 and the rises of 2026.
"""

import math
from collections import defaultdict
from dataclasses import dataclass
from statistics import mean, stdev

from outboard.cost.facts import rows, toml


@dataclass(frozen=True, slots=True)
class Drift:
    """Logarithmic change of rents [1/year]: mean, spread between providers, and the years for which it is known."""

    mean: float
    sd: float
    span_years: float
    market_correlation: float


def fit() -> Drift:
    """Return the drift that the price history gives; ``data/drift.toml`` must hold the same numbers.

    Each provider counts once: its slope is the sum of its logarithmic changes over the sum of the years they took, so
    that ten products of one provider are not ten witnesses.
    """
    change: dict[str, float] = defaultdict(float)
    years: dict[str, float] = defaultdict(float)
    longest = 0.0
    for row in rows("price_history.csv"):
        passed = _year(row["new_date"]) - _year(row["old_date"])
        change[row["provider"]] += math.log(float(row["new_usd_per_gpu_hour"]) / float(row["old_usd_per_gpu_hour"]))
        years[row["provider"]] += passed
        longest = max(longest, passed)
    slopes = [change[provider] / years[provider] for provider in change]
    return Drift(mean(slopes), stdev(slopes), longest, stored().market_correlation)


def _year(month: str) -> float:
    year, number = month.split("-")
    return int(year) + (int(number) - 0.5) / 12


def stored() -> Drift:
    """Return the drift in use.

    >>> stored().mean, stored().sd, stored().span_years
    (0.0601, 0.1568, 2.583)
    """
    data = toml("drift.toml")
    return Drift(data["mean"], data["sd"], data["span_years"], data["market_correlation"])
