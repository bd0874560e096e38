"""The snapshot of rented machines: read, checked, filtered.

Prices are of the whole instance; the price of one device is kept beside it and must agree. What is missing is unknown;
what cannot be believed is set aside with the reason; what is merely strange carries an alarm.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path

from outboard.cost import bands
from outboard.cost.facts import DATA, overhead
from outboard.cost.offer_rows import read
from outboard.errors import FileError
from outboard.i18n import _
from outboard.types.evidence import Evidence, Fact
from outboard.types.money import Offer, Rent, Snapshot

SHIPPED = DATA / "offers.csv"
HOST_VCPUS, HOST_RAM_GB = 8.0, 32.0  # what a training job usually takes beside one card
TOLERANCE = 0.01  # rounding of published prices to the cent


def load(path: Path = SHIPPED) -> Snapshot:
    """Return the snapshot in ``path``, checked.

    >>> snapshot = load()
    >>> len(snapshot.offers), len(snapshot.refused), snapshot.newest.isoformat()
    (409, 8, '2026-09-06')
    """
    return check(read(path))


def check(offers: Iterable[Offer]) -> Snapshot:
    """Return ``offers`` with what cannot be believed set aside, and alarms on what is strange."""
    judged = [replace(offer, refusal=refusal(offer)) for offer in offers]
    believed = _alarms([offer for offer in judged if not offer.refusal])
    dates = [date.fromisoformat(offer.date) for offer in judged if len(offer.date) == len("2026-01-01")]
    if not dates:
        raise FileError(SHIPPED.name, _("no row has a date"), "date", "2026-09-06")
    return Snapshot(tuple(believed), tuple(offer for offer in judged if offer.refusal), max(dates), min(dates))


def refusal(offer: Offer) -> str:
    """Return why the price of ``offer`` is not believed, or nothing."""
    total, each = offer.usd_per_hour, offer.usd_per_gpu_hour
    if offer.gpu_share < 1:
        return _("a fractional instance with {share:.2f} of a {gpu}, listed as a whole one").format(
            share=offer.gpu_share, gpu=offer.gpu
        )
    if total is None or each is None:
        return ""  # unknown, which is no lie
    if total < 0 or each < 0:
        return _("a negative price")
    if abs(total - each * offer.gpu_count) > TOLERANCE * max(total, each):
        return _("{total:g} USD/h for the instance is not {count} times {each:g} USD/h for one device").format(
            total=total, count=offer.gpu_count, each=each
        )
    return bands.outside(offer)


def _alarms(offers: list[Offer]) -> list[Offer]:
    """Mark every spot price above what the same provider asks on demand for the same machine."""
    on_demand: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for offer in offers:
        if offer.kind == "on-demand" and offer.usd_per_hour is not None:
            on_demand[_machine(offer)].append(offer.usd_per_hour)
    return [_alarm(offer, on_demand.get(_machine(offer), [])) for offer in offers]


def _machine(offer: Offer) -> tuple[str, str, int]:
    return offer.provider, offer.device or offer.gpu, offer.gpu_count


def _alarm(offer: Offer, on_demand: list[float]) -> Offer:
    if offer.kind != "spot" or offer.usd_per_hour is None or not on_demand or offer.usd_per_hour <= max(on_demand):
        return offer
    text = _("spot at {spot:g} USD/h is dearer than on demand at {price:g} USD/h")
    return replace(offer, alarm=text.format(spot=offer.usd_per_hour, price=max(on_demand)))


def rate_of(offer: Offer, vcpus: float = HOST_VCPUS, ram_gb: float = HOST_RAM_GB) -> Fact | None:
    """Return the all-in price of what must be rented [USD/h], None where it is unknown.

    With the cores and memory that some bill beside the GPU, and all the devices that must be taken at once. The
    cheapest live listing of a market place is not what most people get: it is divided by its usual share of the median,
    so that the listing is the lower part of the band and not its middle.
    """
    if offer.usd_per_hour is None:
        return None
    times = offer.least_gpus / offer.gpu_count
    price, note = offer.usd_per_hour * times, "; ".join(part for part in (offer.date, offer.note) if part)
    fact = Fact(price, "USD/h", offer.source, Evidence.DATASHEET, note=note)
    if offer.cheapest_live:
        fact = _obtainable(fact)
    return fact if offer.host_included else _with_host(fact, offer, vcpus * times, ram_gb * times)


def _obtainable(listed: Fact) -> Fact:
    floor = overhead("gpu-market-floor")
    low, high = listed.value / (floor.high or floor.value), listed.value / (floor.low or floor.value)
    return replace(listed, value=listed.value / floor.value, low=low, high=high, evidence=Evidence.ASSUMED)


def _with_host(bare: Fact, offer: Offer, vcpus: float, ram_gb: float) -> Fact:
    """Return the price with its cores and memory; a price that is not stated is taken from those who state it."""
    if offer.usd_per_vcpu_hour is not None and offer.usd_per_ram_gb_hour is not None:
        extra = vcpus * offer.usd_per_vcpu_hour + ram_gb * offer.usd_per_ram_gb_hour
        extras, evidence = (extra, extra, extra), bare.evidence
    else:
        core, memory = overhead("host-vcpu-hour"), overhead("host-ram-hour")
        extras = (
            vcpus * (core.low or 0.0) + ram_gb * (memory.low or 0.0),
            vcpus * core.value + ram_gb * memory.value,
            vcpus * (core.high or core.value) + ram_gb * (memory.high or memory.value),
        )
        evidence = Evidence.ASSUMED
    low, high = bare.low or bare.value, bare.high or bare.value
    worth = max(evidence, bare.evidence)
    return replace(bare, value=bare.value + extras[1], low=low + extras[0], high=high + extras[2], evidence=worth)


def as_rent(offer: Offer, today: date) -> Rent:
    """Return ``offer`` as a place to rent, its price as old as it is today; disk and transfers are to be added."""
    taken = max(offer.gpu_count, offer.least_gpus)
    name = f"{offer.provider} {offer.device or offer.gpu}" + (f"x{taken}" if taken > 1 else "")
    return Rent(name, rate_of(offer), billing=offer.kind, price_age_years=age_years(offer, today))


def select(
    offers: Iterable[Offer],
    device: str = "",
    count: int = 1,
    kind: str = "",
    provider: str = "",
    market: str = "",
    region: str = "",
    vram_gb: float = 0.0,
    vcpus: float = 0.0,
    ram_gb: float = 0.0,
    max_usd_per_hour: float | None = None,
) -> list[Offer]:
    """Return the offers that fit, cheapest first; unknown prices last, alarms after prices that raise none.

    By the all-in price of shapes that really fit: an instance with fewer devices, cores or memory than asked for is
    left out, one whose cores, memory or region nobody stated is kept.
    """
    found = [
        offer
        for offer in offers
        if (not device or offer.device == device)
        and offer.gpu_count >= count
        and (not kind or offer.kind == kind)
        and (not provider or offer.provider == provider)
        and (not market or offer.market == market)
        and (not region or offer.region in {region, "", "all"})
        and _enough(offer.vram_gb, vram_gb)
        and _enough(offer.vcpus, vcpus)
        and _enough(offer.ram_gb, ram_gb)
        and (max_usd_per_hour is None or (offer.usd_per_hour is not None and offer.usd_per_hour <= max_usd_per_hour))
    ]
    return sorted(found, key=_by_price)


def _by_price(offer: Offer) -> tuple[bool, bool, float]:
    rate = rate_of(offer)
    return rate is None, bool(offer.alarm), rate.value if rate else 0.0


def _enough(has: float | None, needed: float) -> bool:
    return has is None or has >= needed


def age_days(snapshot: Snapshot, today: date) -> int:
    """Return the days since the newest row."""
    return (today - snapshot.newest).days


def age_years(offer: Offer, today: date) -> float:
    """Return how old the price is [year]; a row that only knows its year is taken from the middle of it."""
    when = date.fromisoformat(offer.date) if len(offer.date) == len("2026-01-01") else date(int(offer.date[:4]), 7, 1)
    return max((today - when).days, 0) / 365.0


def age_line(snapshot: Snapshot, today: date) -> str:
    """Return the sentence about the age of the snapshot.

    >>> age_line(load(), date(2026, 12, 1))
    'prices collected from 2026-05-24 to 2026-09-06, the newest 86 days ago; 8 refused'
    """
    return _("prices collected from {oldest} to {newest}, the newest {days} days ago; {refused} refused").format(
        oldest=snapshot.oldest.isoformat(),
        newest=snapshot.newest.isoformat(),
        days=age_days(snapshot, today),
        refused=len(snapshot.refused),
    )
