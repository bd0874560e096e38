"""What a million tokens cost at one place: power, rent, a purchase that is paid off, and an API beside them."""

from dataclasses import dataclass

from outboard.cost import offers
from outboard.cost.facts import overhead
from outboard.cost.owned import market_price
from outboard.perf.serving.speed import Speed
from outboard.planner import prices
from outboard.planner.serving.service import MILLION
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Place
from outboard.types.money import Offer

HOUR, KILO = 3600.0, 1e3


@dataclass(frozen=True)
class TokenCost:
    """For a million written tokens, with what is read for them [USD]; None: unknown. Bands are those of the rates."""

    seconds: float  # all of the place for a million [s]
    spread: float  # factor of the band of all of them [1]
    watts: Fact | None  # at the wall, the host included [W]
    energy: float | None
    rented: float | None
    offer: Offer | None  # the cheapest on demand
    bought: Fact | None  # price of the devices [USD]
    api: float | None
    paid_off: float | None  # million tokens after which the purchase has cost no more than the API

    @property
    def cheapest(self) -> str:
        """One of "api", "rented" and "own", as far as they are known, for somebody who has the machine anyway."""
        found = {"api": self.api, "rented": self.rented, "own": self.energy}
        known = {name: value for name, value in found.items() if value is not None}
        return min(known, key=lambda name: known[name], default="")


def token_cost(
    place: Place, speed: Speed, read: float, tariff: Fact, api: Fact | None, api_read: Fact | None = None
) -> TokenCost:
    """``read`` tokens go with each that is written; ``tariff`` [USD/kWh]; prices of the API [USD/token]."""
    written, reading = MILLION / speed.together, MILLION * read / speed.prefill
    seconds = written + reading
    share = written / seconds
    draw = watts(place)
    offer, rate = _offer(place)
    energy = draw.value / KILO * seconds / HOUR * tariff.value if draw else None
    asked = None if api is None else MILLION * (api.value + read * (api_read.value if api_read else 0.0))
    price = _price(place)
    saved = None if asked is None or energy is None else asked - energy
    return TokenCost(
        seconds=seconds,
        spread=share * speed.decode_spread + (1.0 - share) * speed.prefill_spread,
        watts=draw,
        energy=energy,
        rented=None if rate is None else rate.value * seconds / HOUR,
        offer=offer,
        bought=price,
        api=asked,
        paid_off=None if price is None or saved is None or saved <= 0 else price.value / saved,
    )


def watts(place: Place) -> Fact | None:
    """What the devices draw at the wall while they work, and the host beside them [W]; None where nothing is known."""
    if place.device.tdp is None:
        return None
    share, host = overhead("draw-of-tdp"), overhead("busy-host")
    rated = place.device.tdp.value * place.count
    if place.device.vendor == "cpu" or place.device.form == "integrated":
        host = Fact(0.0, "W", host.source, Evidence.ASSUMED)

    def at(end: str) -> float:
        return rated * (getattr(share, end) or share.value) + (getattr(host, end) or host.value)

    return Fact(at("value"), "W", f"{share.source}; {host.source}", Evidence.ASSUMED, at("low"), at("high"))


def _offer(place: Place) -> tuple[Offer | None, Fact | None]:
    """The cheapest such machine on demand, of which no alarm was raised."""
    found = offers.select(prices.current().offers, device=place.device.id, count=place.count, kind="on-demand")
    for offer in found:
        rate = offers.rate_of(offer)
        if rate is not None and not offer.alarm and offer.gpu_count == place.count:
            return offer, rate
    return None, None


def _price(place: Place) -> Fact | None:
    """What the devices cost used, else new [USD]."""
    each = market_price(place.device.id) or market_price(place.device.id, "new")
    if each is None:
        return None
    low, high = (place.count * (end if end is not None else each.value) for end in (each.low, each.high))
    return Fact(place.count * each.value, "USD", each.source, each.evidence, low, high)
