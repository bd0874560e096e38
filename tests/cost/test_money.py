"""Amounts, currencies and countries: what is wrong is said in one line."""

import pytest

from outboard.cost.facts import overheads
from outboard.cost.money import countries, country, exchange_rates, household_tariff, in_usd, parse_money, parse_rate
from outboard.errors import FileError, UsageError
from outboard.types.evidence import Evidence
from outboard.types.money import Money


@pytest.mark.parametrize(
    ("text", "money"),
    [
        ("1500 EUR", Money(1500, "EUR")),
        ("1500eur", Money(1500, "EUR")),
        ("€1500", Money(1500, "EUR")),
        ("500 €", Money(500, "EUR")),
        ("EUR 20", Money(20, "EUR")),
        ("$1,250.50", Money(1250.5, "USD")),
        ("0,5 EUR", Money(0.5, "EUR")),
        ("1_000 MXN", Money(1000, "MXN")),
    ],
)
def test_amounts_as_people_write_them(text: str, money: Money) -> None:
    assert parse_money(text, "budget") == money


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (1500, "'1500' has no currency"),
        ("1500", "'1500' has no currency"),
        ("-1500 EUR", "'-1500 EUR' is negative"),
        ("1500 EUX", "unknown currency 'EUX' (nearest: EUR"),
        ("a lot", "'a lot' is not an amount of money"),
        ("1.500 EUR", "'1.500 EUR' can be read in two ways"),
        ("1,2,3 EUR", "'1,2,3 EUR' is not an amount of money"),
        ("10 EUR/h", "'10 EUR/h' is a rate, not an amount"),
        (None, "'None' is not an amount of money"),
        (True, "'True' is not an amount of money"),
    ],
)
def test_wrong_amounts_name_key_value_and_right_form(value: object, problem: str) -> None:
    with pytest.raises(UsageError) as wrong:
        parse_money(value, "budget", "me.yaml")
    message = str(wrong.value)
    assert isinstance(wrong.value, FileError)
    assert message.startswith("me.yaml: budget: " + problem)
    assert message.endswith("write it like '1500 EUR'")
    assert "\n" not in message


def test_a_rate_needs_its_unit() -> None:
    assert parse_rate("0,18 EUR/kWh", "kWh", "electricity") == Money(0.18, "EUR")
    for text in ("0.18 EUR", "0.18 EUR/h"):
        with pytest.raises(UsageError, match=r"electricity: .* write it like '0\.18 EUR/kWh'"):
            parse_rate(text, "kWh", "electricity")
    with pytest.raises(UsageError, match="negative"):
        parse_rate("-0.18 EUR/kWh", "kWh", "electricity")


def test_exchange_rates_are_dated_and_the_remembered_ones_say_so() -> None:
    for code, rate in exchange_rates().items():
        assert rate.low is not None and rate.high is not None
        assert rate.low <= rate.value <= rate.high, code
    assert exchange_rates()["MXN"].note.startswith("remembered")
    assert exchange_rates()["MXN"].evidence is Evidence.ASSUMED
    euro = in_usd(Money(100, "EUR"))
    assert (euro.low, euro.high) == pytest.approx((110.0, 117.0))


def test_unknown_countries_list_near_ones() -> None:
    with pytest.raises(UsageError, match=r"me.yaml: country: unknown country 'Spain' \(nearest: ES\)"):
        country("Spain", path="me.yaml")
    for wrong in ("XX", 34, None):
        with pytest.raises(UsageError, match="write it like 'ES'"):
            country(wrong)


def test_every_country_has_a_currency_and_a_tariff() -> None:
    for code, row in countries().items():
        assert row["currency"] in exchange_rates(), code
        tariff = household_tariff(code)
        assert tariff.low is not None and tariff.high is not None
        assert 0 < tariff.low <= tariff.value <= tariff.high, code


def test_a_borrowed_tariff_is_wider_than_the_one_it_comes_from() -> None:
    world = overheads()["electricity-world"]
    borrowed = household_tariff("BR")
    assert borrowed.evidence is Evidence.ASSUMED
    assert borrowed.high is not None and world.high is not None and borrowed.high > world.high


def test_amounts_must_be_numbers() -> None:
    with pytest.raises(ValueError, match="finite"):
        Money(float("nan"), "EUR")
