"""What people build, put together from the tables: an external GPU, a workstation, a server in a rack.

Every part that the person owns already is left out; every price can be replaced by a known one.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from outboard.cost.facts import overhead
from outboard.cost.owned import card
from outboard.types.evidence import Evidence, Fact
from outboard.types.money import Part, Purchase

NOTHING: Mapping[str, Fact] = {}


def egpu(
    device: str,
    tdp: float,
    electricity: Fact,
    condition: str = "used",
    psu_included: bool = True,
    on_hours_week: float | None = None,
    owned: Collection[str] = (),
    prices: Mapping[str, Fact] = NOTHING,
    fan: bool = False,
) -> Purchase:
    """Return an external GPU: enclosure or open dock, a power supply where the box has none, card and cable.

    ``owned`` and ``prices`` name parts: the device, "enclosure", "psu", "cable". ``tdp`` [W]; ``on_hours_week`` how
    long the box is switched on, an assumed 40 unless stated [h/week]; ``fan`` for a card that has none of its own.

    >>> from outboard.cost.money import household_tariff
    >>> [part.name for part in egpu("rtx-3090", 350.0, household_tariff("ES"), psu_included=False).parts]
    ['rtx-3090', 'enclosure', 'psu', 'cable']
    """
    parts = [card(device, condition), Part("enclosure", overhead("enclosure-thunderbolt"))]
    if not psu_included:
        parts[1:] = [Part("enclosure", overhead("dock-without-psu")), Part("psu", overhead("psu-650-850w"))]
    parts += [Part("cable", overhead("cable"), ageing="none"), *_fans(fan, 1)]
    bought = Purchase(
        f"egpu {device}",
        _bought(parts, owned, prices),
        busy_watts=_scaled(overhead("draw-of-tdp"), tdp, "W"),
        idle_watts=overhead("idle-egpu"),
        electricity=electricity,
        on_hours_week=overhead("on-hours-home").value if on_hours_week is None else on_hours_week,
    )
    return _looked_after(bought, condition, prices.get(device) or card(device, condition).price)


def workstation(
    device: str,
    tdp: float,
    electricity: Fact,
    condition: str = "used",
    devices: int = 1,
    on_hours_week: float | None = None,
    owned: Collection[str] = (),
    prices: Mapping[str, Fact] = NOTHING,
    fan: bool = False,
) -> Purchase:
    """Return a computer with ``devices`` cards; with "host" in ``owned``, only the cards for the computer at hand.

    The computer counts its own draw while a job runs, whoever paid for it.
    """
    cards = [replace(card(device, condition), name=f"{device} {number + 1}") for number in range(devices)]
    cards = cards if devices > 1 else [card(device, condition)]
    draw = _sum(_scaled(overhead("draw-of-tdp"), tdp * devices, "W"), overhead("busy-host"))
    bought = Purchase(
        f"workstation {device}" + (f"x{devices}" if devices > 1 else ""),
        _bought([*cards, Part("host", overhead("workstation-ex-gpu")), *_fans(fan, devices)], owned, prices),
        busy_watts=draw,
        idle_watts=overhead("idle-workstation"),
        electricity=electricity,
        on_hours_week=overhead("on-hours-home").value if on_hours_week is None else on_hours_week,
        devices=devices,
    )
    return _looked_after(bought, condition, prices.get(device) or card(device, condition).price)


def server(
    kind: str,
    electricity: Fact,
    colocated: bool = True,
    owned: Collection[str] = (),
    prices: Mapping[str, Fact] = NOTHING,
) -> Purchase:
    """Return a node of eight data-centre GPUs; ``kind`` is "8xh100", "8xh200" or "8xb200".

    Always on. A rack elsewhere is paid by the kilowatt; electricity is metered on top of it.
    """
    power = overhead("node-8gpu-power")
    share = overhead("maintenance-contract")
    rack = _product(overhead("colocation-retail"), power, "USD/month") if colocated else None
    return Purchase(
        f"server {kind}",
        _bought([Part(kind, overhead(f"server-{kind}"), ageing="datacentre")], owned, prices),
        busy_watts=_scaled(power, 1000.0, "W"),
        idle_watts=overhead("idle-node-8gpu"),
        electricity=electricity,
        on_hours_week=168.0,
        pue=overhead("pue-enterprise"),
        admin_hours_month=overhead("admin-hours-server"),
        maintenance_share=_scaled(share, 0.01, "1/year"),
        monthly_fee=rack,
        failures_year=overhead("gpu-replacement-datacentre"),
        devices=8,
        replacement=_scaled(overhead(f"server-{kind}"), 1 / 8, "USD"),
        warranty_share=overhead("owned-warranty-new").value,
        days_down=overhead("days-down").value,
    )


def _fans(wanted: bool, devices: int) -> list[Part]:
    each = overhead("fan-and-shroud")
    return [Part("fans", _scaled(each, devices, "USD"), ageing="none")] if wanted else []


def _bought(parts: list[Part], owned: Collection[str], prices: Mapping[str, Fact]) -> tuple[Part, ...]:
    wanted = [part for part in parts if part.name not in owned]
    return tuple(replace(part, price=prices.get(part.name, part.price)) for part in wanted)


def _looked_after(purchase: Purchase, condition: str, replacement: Fact | None) -> Purchase:
    used = condition == "used"
    return replace(
        purchase,
        pue=_sum(Fact(1.0, "1", "the machine itself", Evidence.MEASURED_HERE), overhead("home-cooling")),
        admin_hours_month=overhead("admin-hours-own"),
        failures_year=overhead("gpu-failure-used" if used else "gpu-failure-new"),
        replacement=replacement,
        warranty_share=0.0 if used else overhead("owned-warranty-new").value,
        days_down=overhead("days-down").value,
    )


def _scaled(fact: Fact, factor: float, unit: str) -> Fact:
    low, high = (None if end is None else end * factor for end in (fact.low, fact.high))
    return replace(fact, value=fact.value * factor, low=low, high=high, unit=unit)


def _ends(fact: Fact) -> tuple[float, float]:
    return (fact.value if fact.low is None else fact.low), (fact.value if fact.high is None else fact.high)


def _sum(one: Fact, other: Fact) -> Fact:
    (low, high), (more_low, more_high) = _ends(one), _ends(other)
    total = replace(one, value=one.value + other.value, low=low + more_low, high=high + more_high)
    return replace(total, source=f"{one.source}; {other.source}", evidence=max(one.evidence, other.evidence))


def _product(one: Fact, other: Fact, unit: str) -> Fact:
    (low, high), (more_low, more_high) = _ends(one), _ends(other)
    total = replace(one, value=one.value * other.value, low=low * more_low, high=high * more_high, unit=unit)
    return replace(total, source=f"{one.source}; {other.source}", evidence=max(one.evidence, other.evidence))
