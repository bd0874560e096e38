"""Amounts at the door: "1500 EUR", "0.18 EUR/kWh", a country; inside, everything is US dollars with a band."""

import difflib
import math
import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from outboard.cost.arrays import Array
from outboard.cost.draws import Draws
from outboard.cost.facts import fact_of, overhead, rows
from outboard.errors import FileError, UsageError
from outboard.i18n import _
from outboard.types.evidence import Evidence, Fact
from outboard.types.money import Money

SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "US$": "USD"}
NUMBER = r"[-+]?\d[\d_.,]*"
AMOUNT = re.compile(
    rf"^\s*(?P<before>[^\d\s.+-]*)\s*(?P<number>{NUMBER})\s*(?P<after>[^\d\s/]*)\s*(?:/\s*(?P<per>\w+))?\s*$"
)
TWO_WAYS = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")  # 1.500 is a thousand and a half in Madrid, one and a half in London
THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
PLAIN = re.compile(r"[-+]?\d[\d_]*(\.\d+)?")


def parse_money(text: object, key: str, path: str | Path = "", example: str = "1500 EUR") -> Money:
    """Return ``text`` as an amount; ``key`` and ``path`` say in the error where it stands.

    >>> parse_money("1500 EUR", "budget"), parse_money("$2,000", "budget")
    (Money(amount=1500.0, currency='EUR'), Money(amount=2000.0, currency='USD'))
    """
    money, per = _parse(text, key, path, example)
    if per:
        raise wrong(path, key, _("'{text}' is a rate, not an amount").format(text=text), example)
    return money


def parse_rate(text: object, per: str, key: str, path: str | Path = "") -> Money:
    """Return the money of a rate per ``per``, e.g. per kWh or per h.

    >>> parse_rate("0.18 EUR/kWh", "kWh", "electricity")
    Money(amount=0.18, currency='EUR')
    """
    example = {"kWh": "0.18 EUR/kWh", "h": "15 EUR/h"}.get(per, f"10 EUR/{per}")
    money, found = _parse(text, key, path, example)
    if found.lower() != per.lower():
        problem = _("'{text}' is not an amount per {per}").format(text=text, per=per)
        raise wrong(path, key, problem, example)
    return money


def parse_price(text: object, periods: Collection[str], key: str, path: str | Path, example: str) -> tuple[Money, str]:
    """Return an amount and which of ``periods`` it is paid for.

    >>> parse_price("200 EUR/month", ("h", "month"), "price", "", "0.35 EUR/h")
    (Money(amount=200.0, currency='EUR'), 'month')
    """
    money, per = _parse(text, key, path, example)
    if per.lower() not in periods:
        problem = _("'{text}' is not an amount per {per}").format(text=text, per=_(" or ").join(periods))
        raise wrong(path, key, problem, example)
    return money, per.lower()


def _parse(text: object, key: str, path: str | Path, example: str) -> tuple[Money, str]:
    match = AMOUNT.match(text) if isinstance(text, str) else None
    if match is None and isinstance(text, (int, float)) and not isinstance(text, bool):
        raise wrong(path, key, _("'{text}' has no currency").format(text=text), example)
    if match is None:
        raise wrong(path, key, _("'{text}' is not an amount of money").format(text=text), example)
    code = match["before"] or match["after"]
    if not code:
        raise wrong(path, key, _("'{text}' has no currency").format(text=text), example)
    amount = _number(match["number"], str(text), key, path, example)
    currency = _currency(code, key, path, example)
    if amount < 0:
        raise wrong(path, key, _("'{text}' is negative").format(text=text), example)
    return Money(amount, currency), match["per"] or ""


def _number(digits: str, text: str, key: str, path: str | Path, example: str) -> float:
    """Return the number, English thousands ("1,500") and a decimal comma ("0,18") included.

    >>> _number("1,500", "", "", "", ""), _number("0,18", "", "", "", ""), _number("1500.5", "", "", "", "")
    (1500.0, 0.18, 1500.5)
    """
    if TWO_WAYS.fullmatch(digits):
        raise wrong(path, key, _("'{text}' can be read in two ways").format(text=text), example)
    if THOUSANDS.fullmatch(digits):
        return float(digits.replace(",", ""))
    if DECIMAL_COMMA.fullmatch(digits):
        return float(digits.replace(",", "."))
    if not PLAIN.fullmatch(digits):
        raise wrong(path, key, _("'{text}' is not an amount of money").format(text=text), example)
    return float(digits)


def _currency(code: str, key: str, path: str | Path, example: str) -> str:
    known = SYMBOLS.get(code, code.upper())
    if known in exchange_rates():
        return known
    near = difflib.get_close_matches(known, exchange_rates(), n=3, cutoff=0.5) or ["EUR", "USD", "GBP"]
    problem = _("unknown currency '{code}' (nearest: {names})").format(code=code, names=", ".join(near))
    raise wrong(path, key, problem, example)


def wrong(path: str | Path, key: str, problem: str, example: str) -> UsageError:
    """Return the error about a value: file, key, what is wrong with it, and the right form, in one line."""
    right = _("write it like '{example}'").format(example=example)
    if path:
        return FileError(path, problem, key, right)
    return UsageError(f"{key}: {problem}; {right}")


@lru_cache
def exchange_rates() -> dict[str, Fact]:
    """Return what one unit of each currency is worth [USD], with its band; most are remembered and marked so."""
    return {row["code"]: fact_of(row, f"USD/{row['code']}") for row in rows("currencies.csv")}


def in_usd(money: Money, unit: str = "USD", source: str = "") -> Fact:
    """Return ``money`` in dollars; the band is that of the exchange rate.

    >>> round(in_usd(Money(100.0, "EUR")).value), in_usd(Money(100.0, "USD")).low is None
    (113, True)
    """
    said = source or _("stated by the person")
    rate = exchange_rates()[money.currency]
    if money.currency == "USD":
        return Fact(money.amount, unit, said, Evidence.MEASURED_HERE)
    low, high = rate.low or rate.value, rate.high or rate.value
    note = _("{amount:g} {currency} at {rate:g} USD").format(
        amount=money.amount, currency=money.currency, rate=rate.value
    )
    both = f"{said}; {rate.source}"
    return Fact(
        money.amount * rate.value,
        unit,
        both,
        rate.evidence,
        money.amount * low,
        money.amount * high,
        f"{note}; {rate.note}",
    )


def from_usd(usd: float, currency: str) -> float:
    """Return dollars in ``currency`` at the central rate, for showing.

    >>> round(from_usd(113.0, "EUR"), 6)
    100.0
    """
    return usd / exchange_rates()[currency].value if math.isfinite(usd) else usd


def in_currency(usd: Array, currency: str, draws: Draws) -> Array:
    """Return draws of dollars in ``currency``; the exchange rate is one more cause that every place shares.

    >>> float(in_currency(Draws().normal("any") * 0 + 113.0, "EUR", Draws()).mean().round())
    100.0
    """
    return usd / draws.of(exchange_rates()[currency], f"exchange:{currency}")


def country(code: object, key: str = "country", path: str | Path = "") -> dict[str, str]:
    """Return the row of a country: its name, currency and which electricity price stands for it.

    >>> country("es")["currency"], country("FR")["electricity"]
    ('EUR', 'eu')
    """
    known = countries()
    if isinstance(code, str) and code.strip().upper() in known:
        return known[code.strip().upper()]
    text = str(code)
    names = {row["name"].lower(): short for short, row in known.items()}
    near = [names[name] for name in difflib.get_close_matches(text.lower(), names, n=2, cutoff=0.6)]
    if text.lower() in names:
        near = near[:1]
    elif len(text) <= 3:
        near += difflib.get_close_matches(text.upper(), known, n=2, cutoff=0.5)
    hint = _(" (nearest: {names})").format(names=", ".join(dict.fromkeys(near))) if near else ""
    raise wrong(path, key, _("unknown country '{code}'").format(code=text) + hint, "ES")


@lru_cache
def countries() -> dict[str, dict[str, str]]:
    """Return every country by its two letters."""
    return {row["code"]: row for row in rows("countries.csv")}


def household_tariff(code: str, path: str | Path = "") -> Fact:
    """Return the household price of electricity in a country [USD/kWh].

    Where no figure of its own is known, a neighbour's average stands in and is marked as assumed, which widens it.

    >>> household_tariff("DE").value, household_tariff("FR").evidence.label
    (0.42, 'assumed')
    """
    row = country(code, path=path)
    region = row["electricity"]
    known = overhead(f"electricity-{region}")
    if region == row["code"].lower():
        return known
    note = _("no figure for {name}: {region} average").format(name=row["name"], region=region)
    low, high = known.low, known.high
    if region == "world":
        # The average is known to a few per cent, a country is not: the spread of the known countries stands in.
        low, high = overhead("electricity-mx").low, overhead("electricity-de").high
    return Fact(known.value, known.unit, known.source, Evidence.ASSUMED, low, high, f"{note}; {known.note}")
