"""Prices of what is bought, and the free tiers, looked up in the tables: dated, sourced, unknown where unknown."""

import re

from outboard.cost.facts import WORTH, fact_of, overhead, rows
from outboard.errors import UnknownNameError
from outboard.i18n import _
from outboard.types.evidence import Evidence, Fact
from outboard.types.money import Ageing, Part, Quota

DAYS_PER_WEEK = 7.0
WEEKS_PER_MONTH = 52.0 / 12.0
CONFIDENCE_ORDER = ("high", "medium", "medium-low", "low")


def market_price(device: str, condition: str = "used") -> Fact | None:
    """Return what a device costs [USD], from this year's rows only, or None where nobody knows.

    Several sources are joined: the middle is the median of theirs, the band reaches from the lowest to the highest.
    "used" and "new" are asking or sold prices; "listing" rows mix conditions and serve only where nothing else does.

    >>> price = market_price("rtx-3090")
    >>> price.value, price.low, price.high
    (693.0, 500.0, 850.0)
    >>> market_price("rtx-3070") is None
    True
    """
    found = [row for row in rows("used_market.csv") if row["device"] == device and row["condition"] == condition]
    recent = [row for row in found if "2026" in row["date"]]
    if not recent and condition != "listing":
        return _joined(found, old=True) if found else market_price(device, "listing")
    return _joined(recent or found, old=not recent) if found else None


def _joined(found: list[dict[str, str]], old: bool) -> Fact:
    middles = sorted(float(row["central"]) for row in found)
    middle = middles[len(middles) // 2]
    worst = max((row["confidence"] for row in found), key=CONFIDENCE_ORDER.index)
    mixed = any(row["condition"] == "listing" for row in found)
    evidence = Evidence.ASSUMED if old or mixed else WORTH[worst]
    low, high = min(float(row["low"]) for row in found), max(float(row["high"]) for row in found)
    if low == high and evidence is Evidence.ASSUMED:
        # One old or mixed listing says little: as far off as used prices of one model are from each other.
        low, high = 0.7 * middle, 1.3 * middle
    dates = ", ".join(sorted({row["date"] for row in found}))
    notes = "; ".join(dict.fromkeys(row["note"] for row in found))
    doubt = "" if evidence is not Evidence.ASSUMED else _("old, mixed or doubtful listings") + "; "
    sources = "; ".join(dict.fromkeys(row["source"] for row in found))
    return Fact(middle, "USD", sources, evidence, low, high, f"{doubt}{notes}; {dates}")


def card(device: str, condition: str = "used", ageing: Ageing = "consumer", at_years: float = 0.0) -> Part:
    """Return a card as a part to buy, with what it would sell for; its price may be unknown.

    >>> card("rtx-4090", "new").used_value.value
    2374.95
    """
    price = market_price(device, condition)
    used = market_price(device) if condition == "new" else price
    if used is None and price is not None:
        ratio = overhead("used-over-new")
        low, high = price.value * (ratio.low or ratio.value), price.value * (ratio.high or ratio.value)
        source = f"{price.source}; {ratio.source}"
        used = Fact(price.value * ratio.value, "USD", source, Evidence.ASSUMED, low, high, ratio.note)
    return Part(device, price, at_years, ageing, used)


def tiers() -> dict[str, Quota]:
    """Return every free or cheap tier by its id, with hours as hours a week.

    >>> kaggle = tiers()["kaggle-t4x2"]
    >>> kaggle.hours_week.value, kaggle.session_hours
    (30.0, 12.0)
    """
    return {row["id"]: _tier(row) for row in rows("free_tiers.csv")}


def tier(name: str) -> Quota:
    """Return one tier; a miss lists the ids."""
    known = tiers()
    if name not in known:
        raise UnknownNameError(_("free tier"), name, sorted(known))
    return known[name]


def tier_devices(name: str) -> tuple[str, int]:
    """Return the device of a tier and how many of them.

    >>> tier_devices("kaggle-t4x2"), tier_devices("colab-free")
    (('t4', 2), ('t4', 1))
    """
    row = next(row for row in rows("free_tiers.csv") if row["id"] == name)
    match = re.fullmatch(r"(.+?)(?:x(\d+))?", row["devices"])
    return (match[1], int(match[2] or 1)) if match else (row["devices"], 1)


def _tier(row: dict[str, str]) -> Quota:
    hours = None
    if row["gpu_hours"]:
        to_week = {"day": DAYS_PER_WEEK, "week": 1.0, "month": 1.0 / WEEKS_PER_MONTH}[row["per"]]
        scaled = {key: str(float(row[f"gpu_hours{end}"]) * to_week) for key, end in ENDS.items()}
        hours = fact_of({**row, **scaled}, "h/week")
    rate = float(row["usd_per_hour"])
    price = {"low": row["usd_per_hour"], "central": row["usd_per_hour"], "high": row["usd_per_hour"]}
    return Quota(
        name=row["id"],
        hours_week=hours,
        session_hours=float(row["session_hours"] or "inf"),
        usd_per_hour=fact_of({**row, **price}, "USD/h") if rate else None,
        usd_per_month=float(row["usd_per_month"]),
    )


ENDS = {"low": "_low", "central": "", "high": "_high"}
