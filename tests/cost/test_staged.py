"""Purchases in stages: the limits that join them with plain ones, and what a stage changes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outboard.cost.breakeven import Choice, break_even
from outboard.cost.buy import buy
from outboard.cost.draws import Draws
from outboard.cost.staged import Phase, committed, scheduled, staged
from outboard.cost.waiting import price_of_waiting
from outboard.types.money import Part, Purchase
from tests.cost.places import egpu, fact, rented, use, work

DRAWS = Draws(count=256)
quick = settings(max_examples=30, deadline=None)


def with_card(purchase: Purchase, name: str, price: float, **more: object) -> Purchase:
    card = Part(name, fact(price, "USD"), ageing="consumer", **more)  # type: ignore[arg-type]
    return replace(purchase, parts=(card, *purchase.parts[1:]))


@quick
@given(st.floats(0.1, 50.0), st.floats(0.0, 60.0), st.floats(0.0, 0.2))
def test_one_stage_is_a_plain_purchase(hours: float, jobs: float, rate: float) -> None:
    usage = use(jobs, discount_rate=rate)
    one = staged([Phase(egpu(), work(hours))], usage, DRAWS)
    np.testing.assert_allclose(one.over_horizon, buy(egpu(), work(hours), usage, DRAWS).over_horizon, rtol=1e-12)


@quick
@given(st.floats(0.1, 50.0), st.floats(0.0, 60.0), st.floats(0.1, 1.9))
def test_a_stage_that_changes_nothing_costs_nothing(hours: float, jobs: float, when: float) -> None:
    """The law of issue and textbook: split in stages without discounting, a purchase costs the same."""
    phases = [Phase(egpu(), work(hours)), Phase(egpu(), work(hours), when)]
    split = staged(phases, use(jobs), DRAWS).over_horizon
    # Idle and busy lines may take turns between stages, which a single maximum over the horizon does not.
    plain = buy(egpu(on_hours=0.0), work(hours), use(jobs), DRAWS).over_horizon
    split_off = staged([replace(p, purchase=egpu(on_hours=0.0)) for p in phases], use(jobs), DRAWS).over_horizon
    np.testing.assert_allclose(split_off, plain, rtol=1e-9)
    assert np.all(split >= split_off - 1e-6)


def test_what_is_replaced_is_sold_that_day_and_the_box_is_kept() -> None:
    first, second = with_card(egpu(), "small", 250.0), with_card(egpu(), "large", 700.0)
    parts = {p.name: p for p in scheduled([Phase(first, work()), Phase(second, work(2.0), 1.0)], 2.0).parts}
    assert (parts["small"].at_years, parts["small"].sold_years) == (0.0, 1.0)
    assert (parts["large"].at_years, parts["large"].sold_years) == (1.0, None)
    assert list(parts) == ["small", "enclosure", "large"] and parts["enclosure"].sold_years is None


def test_hours_are_shared_by_the_time_that_each_stage_lasts() -> None:
    phases = [Phase(egpu(), work(8.0)), Phase(egpu(), work(2.0), 0.5)]
    assert np.median(staged(phases, use(years=2.0), DRAWS).hours) == pytest.approx(0.25 * 8 + 0.75 * 2, rel=0.01)


def test_a_stage_beyond_the_horizon_is_not_bought() -> None:
    first, second = with_card(egpu(), "small", 250.0), with_card(egpu(), "large", 700.0)
    phases = [Phase(first, work()), Phase(second, work(2.0), 1.0)]
    short = staged(phases, use(years=0.5), DRAWS).over_horizon
    np.testing.assert_allclose(short, buy(first, work(), use(years=0.5), DRAWS).over_horizon)


def test_a_used_card_costs_later_what_the_market_makes_of_it() -> None:
    stays = with_card(egpu(), "large", 700.0)
    moves = with_card(egpu(), "large", 700.0, moves=True)
    small = with_card(egpu(), "small", 250.0)
    spent = [committed([Phase(small, work()), Phase(one, work(), 1.0)], use(), DRAWS) for one in (stays, moves)]
    assert spent[0] and spent[1] and spent[1] < spent[0]


def test_a_price_quoted_for_later_holds_then() -> None:
    """Sold on the day it is bought, at its price: nothing is lost but the fee, whatever the market did before."""
    later = with_card(egpu(failures=0.0), "large", 700.0, priced_years=1.0)
    parts = scheduled([Phase(egpu(), work()), Phase(later, work(), 1.0)], 1.0 + 1e-9).parts
    assert next(part for part in parts if part.name == "large").priced_years == 1.0


def test_an_unknown_price_in_a_later_stage_is_unknown() -> None:
    later = replace(egpu(), parts=(Part("large", None), *egpu().parts[1:]))
    found = staged([Phase(egpu(), work()), Phase(later, work(), 1.0)], use(), DRAWS)
    assert "large" in found.unknown and np.isnan(found.over_horizon).all()


def test_break_even_of_a_purchase_in_stages() -> None:
    small, large = with_card(egpu(), "small", 250.0), with_card(egpu(), "large", 700.0)
    phases = (Phase(small, work(4.0)), Phase(large, work(2.0), 1.0))
    choice = Choice(small, work(4.0), rented(2.0), work(2.0), phases)
    found = break_even(choice, use(), DRAWS)
    assert found is not None and np.isfinite(found.hours_week.p50) and np.isfinite(found.payback_months.p50)
    assert choice.own(use(), DRAWS).tree.value is not None
    assert price_of_waiting(choice, use(), DRAWS) is None


def test_stages_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="begins now"):
        staged([Phase(egpu(), work(), 1.0)], use(), DRAWS)
