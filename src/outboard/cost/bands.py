"""Which prices of a device can be believed: bands from the snapshot itself, stored with the data.

A provider's table that says 0.01 USD/h for a B200 is an error, and a plan that believes it is worse than none.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import median, pstdev

from outboard.cost import drift
from outboard.cost.draws import STANDARD
from outboard.cost.facts import rows
from outboard.i18n import _
from outboard.types.money import Offer

LEAST = 3  # prices of one kind in one market before a device has a band of its own there


@dataclass(frozen=True, slots=True)
class PriceBand:
    """Believable prices of one device [USD/h], from ``count`` listings."""

    low: float
    high: float
    count: int


Key = tuple[str, str, str]  # device, kind, market; market "any" over all of them


def fit(offers: Iterable[Offer]) -> dict[Key, PriceBand]:
    """Return the band of every device that has prices enough; ``data/price_bands.csv`` holds the result.

    Around the median price of the device in its market, as wide as the prices of all devices scatter around theirs and
    as rents drift in a year, for a table is refreshed later than its bands: so many standard deviations that among as
    many honest listings as the table has, half a one is expected outside. The scatter is pooled, because most devices
    have too few prices to know their own. Spot prices are too few to tell the markets apart.
    """
    prices: dict[Key, list[float]] = defaultdict(list)
    total = 0
    for offer in offers:
        each = offer.usd_per_gpu_hour
        if offer.device and each and offer.gpu_share == 1 and not offer.alarm:
            total += 1
            prices[offer.device, offer.kind, "any"].append(each)
            if offer.kind == "on-demand":
                prices[offer.device, offer.kind, offer.market].append(each)
    reach = STANDARD.inv_cdf(1.0 - 0.5 / total)
    found: dict[Key, PriceBand] = {}
    for key, values in prices.items():
        if len(values) >= LEAST:
            width = math.exp(reach * math.hypot(_scatter(prices, key[1], key[2]), drift.stored().sd))
            found[key] = PriceBand(median(values) / width, median(values) * width, len(values))
    return found


def _scatter(prices: dict[Key, list[float]], kind: str, market: str) -> float:
    """Return the standard deviation of log(price / median of its device) over all devices [1]."""
    deviations = [
        math.log(value / median(values))
        for (_device, of_kind, of_market), values in prices.items()
        if (of_kind, of_market) == (kind, market) and len(values) >= LEAST
        for value in values
    ]
    return pstdev(deviations)


@lru_cache
def stored() -> dict[Key, PriceBand]:
    """Return the bands in use."""
    return {
        (row["device"], row["kind"], row["market"]): PriceBand(float(row["low"]), float(row["high"]), int(row["count"]))
        for row in rows("price_bands.csv")
    }


def band_of(offer: Offer) -> PriceBand | None:
    """Return the band for ``offer``: of its own market, else of all markets, else none: then nobody can judge it.

    A spot price may rise up to what is believed on demand: dearer than on demand is an alarm, not a lie.
    """
    known = stored()
    for market in (offer.market, "any"):
        found = known.get((offer.device, offer.kind, market))
        if found:
            return replace(found, high=max(found.high, _on_demand_high(offer, known)))
    return None


def _on_demand_high(offer: Offer, known: dict[Key, PriceBand]) -> float:
    highs = [
        known[key].high for market in (offer.market, "any") if (key := (offer.device, "on-demand", market)) in known
    ]
    return max(highs, default=0.0) if offer.kind == "spot" else 0.0


def outside(offer: Offer) -> str:
    """Return why the price of ``offer`` is not believed, or nothing."""
    known, each = band_of(offer), offer.usd_per_gpu_hour
    if known is None or each is None or known.low <= each <= known.high:
        return ""
    return _("{each:g} USD/h for one {device} is outside {low:.2g} to {high:.2g}, where {count} listings lie").format(
        each=each, device=offer.device, low=known.low, high=known.high, count=known.count
    )
