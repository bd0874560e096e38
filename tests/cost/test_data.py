"""The tables: dated, sourced, and honest about what is only remembered."""

import pytest

from outboard.cost.draws import Draws
from outboard.cost.facts import overhead, overheads, rows, toml
from outboard.cost.owned import card, market_price, tier, tier_devices, tiers
from outboard.cost.quota import quota
from outboard.errors import UnknownNameError
from outboard.types.evidence import Evidence
from tests.cost.places import use, work

TABLES = ("overheads.csv", "used_market.csv", "free_tiers.csv", "currencies.csv")


@pytest.mark.parametrize("table", TABLES)
def test_every_row_has_date_source_and_confidence(table: str) -> None:
    for row in rows(table):
        assert row["source"] and row["confidence"], row
        assert row["date"] or row["confidence"] == "exact", row


def test_bands_contain_their_middle() -> None:
    for name, fact in overheads().items():
        assert fact.low is not None and fact.high is not None
        assert fact.low <= fact.value <= fact.high, name


def test_what_is_remembered_says_so_and_is_worth_less() -> None:
    remembered = [row["id"] for row in rows("overheads.csv") if row["confidence"] == "remembered"]
    assert "electricity-es" in remembered
    for name in remembered:
        assert overhead(name).evidence is Evidence.ASSUMED
        assert overhead(name).note.startswith("remembered")


def test_an_unknown_overhead_lists_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="electricity-es"):
        overhead("electricity-xx")


def test_regime_weights_sum_to_one() -> None:
    assert sum(row["weight"] for row in toml("depreciation.toml")["regime"]) == pytest.approx(1.0)


def test_used_prices_come_from_this_year() -> None:
    price = market_price("rtx-3060-12gb")
    assert price is not None and (price.low, price.high) == (200.0, 320.0)
    assert "2023" not in price.note
    old = market_price("rtx-2080-ti")
    assert old is not None and old.evidence is Evidence.ASSUMED
    assert market_price("no-such-card") is None


def test_a_new_card_is_worth_less_the_day_after() -> None:
    new = card("rtx-5090", "new")
    assert new.price is not None and new.used_value is not None
    assert new.used_value.value < new.price.value
    assert card("no-such-card").price is None


@pytest.mark.parametrize("name", sorted(tiers()))
def test_every_tier_can_be_costed(name: str) -> None:
    device, count = tier_devices(name)
    assert device and count >= 1
    cost = quota(tier(name), work(2.0), use(4), Draws(count=64))
    assert cost.band_per_job is not None
    assert cost.capacity_week > 0


def test_an_unknown_tier_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="kaggle-t4x2"):
        tier("gaggle")
