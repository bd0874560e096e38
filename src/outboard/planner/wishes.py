"""What the person means to buy step by step, and the prices that they were given."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from outboard import catalog
from outboard.cost.arrays import MONTHS_PER_YEAR
from outboard.cost.durations import horizon_years
from outboard.cost.money import in_usd, parse_money, parse_price, wrong
from outboard.i18n import _
from outboard.planner.reading import named
from outboard.types.evidence import Fact
from outboard.types.hardware import Place
from outboard.types.money import Billing
from outboard.types.situation import Quote, Stage


@dataclass(frozen=True)
class Step:
    """One stage of a purchase; ``price`` None: what the market makes of today's."""

    place: Place
    named_link: bool
    condition: str
    from_years: float
    price: Fact | None  # of each device, at that date [USD]


@dataclass(frozen=True)
class Quoted:
    """A machine at a price that somebody offered."""

    place: Place
    provider: str
    price: Fact  # [USD/h], by the month [USD/month]
    billing: Billing


def steps(said: Sequence[Stage], horizon: float, path: str | Path) -> tuple[Step, ...]:
    """Return the stages in order: the first is bought now, each later one after the one before, within ``horizon``."""
    found: list[Step] = []
    for index, stage in enumerate(said):
        key = f"staged[{index}]"
        text = f"{stage.device}@{stage.link}" if stage.link else stage.device
        place = named(catalog.place, text, f"{key}.device", path)
        years = horizon_years(stage.after, f"{key}.after", path) if stage.after else 0.0
        _in_order(stage.after, years, found[-1].from_years if found else None, horizon, f"{key}.after", path)
        price = in_usd(parse_money(stage.price, f"{key}.price", path, "650 EUR")) if stage.price else None
        found.append(Step(place, stage.link is not None, stage.condition, years, price))
    return tuple(found)


def _in_order(said: str | None, years: float, before: float | None, horizon: float, key: str, path: str | Path) -> None:
    if before is None:
        if years:
            raise wrong(path, key, _("'{text}': the first stage is bought now").format(text=said), _("no key at all"))
        return
    if years <= before:
        problem = _("'{text}' is not after the stage before").format(text=said or "")
        raise wrong(path, key, problem, f"{MONTHS_PER_YEAR * before + 12:.0f} months")
    if years >= horizon:
        problem = _("'{text}' is beyond the horizon").format(text=said)
        raise wrong(path, key, problem, f"{MONTHS_PER_YEAR * horizon / 2:.0f} months")


def quotes(said: Sequence[Quote], path: str | Path) -> tuple[Quoted, ...]:
    """Return the quoted prices: by the hour on demand or spot, or by the month."""
    found: list[Quoted] = []
    for index, quote in enumerate(said):
        key = f"access.quotes[{index}]"
        place = named(catalog.place, quote.device, f"{key}.device", path)
        money, per = parse_price(quote.price, ("h", "month"), f"{key}.price", path, "0.35 EUR/h")
        if quote.spot and per == "month":
            problem = _("'{text}': spot machines are paid by the hour").format(text=quote.price)
            raise wrong(path, f"{key}.price", problem, "0.35 EUR/h")
        billing: Billing = "monthly" if per == "month" else "spot" if quote.spot else "on-demand"
        found.append(Quoted(place, quote.provider, in_usd(money, f"USD/{per}"), billing))
    return tuple(found)
