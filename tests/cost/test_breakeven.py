"""Break-even, what flips it, payback, and the price of waiting."""

from dataclasses import replace

import numpy as np
import pytest

from outboard.cost import formulas as f
from outboard.cost.breakeven import Choice, break_even, hours_week, jobs_month
from outboard.cost.draws import Draws
from outboard.cost.waiting import price_of_waiting
from outboard.types.money import Part, Purchase, Rent, Use
from tests.cost.places import egpu, fact, rented, use, work

DRAWS = Draws(count=1024)


def choice(rate: float | None = 0.40, **terms: object) -> Choice:
    return Choice(egpu(), work(), rented(rate, **terms), work())


def test_at_break_even_both_cost_the_same() -> None:
    one = choice()
    jobs = jobs_month(one.own(use(), DRAWS), one.rent(use(), DRAWS), use())
    for world in (0, 100, 1000):
        there = use(float(jobs[world]))
        own, rent = one.own(there, DRAWS).over_horizon[world], one.rent(there, DRAWS).over_horizon[world]
        assert own == pytest.approx(rent)


def test_it_is_the_published_marginal_form() -> None:
    # u* = F / (52 (rate - own marginal)) with a box that idles for nothing and keeps its value for nobody.
    parts = (Part("card", fact(1000.0, "USD"), ageing="none"),)
    box = Purchase("box", parts, fact(400.0, "W"), fact(0.0, "W"), fact(0.25, "USD/kWh"))
    one = Choice(box, work(), Rent("monthless", fact(0.5, "USD/h")), work())
    own, rent = one.own(use(), DRAWS), one.rent(use(), DRAWS)
    hours = hours_week(jobs_month(own, rent, use()), own)
    rate = rent.lines[0].per_job / rent.machine_hours
    assert hours == pytest.approx(f.break_even_hours_week(1000 * f.annuity(0.0, 2.0), rate, 0.4 * 0.25))


def test_a_distribution_and_not_a_number() -> None:
    found = break_even(choice(), use(), DRAWS)
    assert found is not None
    assert found.hours_week.p10 < found.hours_week.p50 < found.hours_week.p90
    assert 0.0 < found.probability_at_stated_use < 1.0
    assert found.stated_hours_week == pytest.approx(30 * 12 / 52 * 4, rel=0.01)
    assert found.tree.value == pytest.approx(found.hours_week.p50)


def test_never_is_never() -> None:
    # An hour of electricity costs more than the rented hour.
    found = break_even(choice(0.05), use(), DRAWS)
    assert found is not None and found.never
    assert found.probability_never > 0.9
    assert np.isinf(found.hours_week.p50) and np.isinf(found.payback_months.p50)
    assert found.tree.value is None and "never" in found.tree.note


def test_more_hours_than_a_week_has_is_never() -> None:
    found = break_even(choice(0.16), use(), DRAWS)
    assert found is not None
    finite = found.draws[np.isfinite(found.draws)]
    assert finite.size and finite.max() <= 168.0
    assert 0.1 < found.probability_never < 1.0


def test_an_unknown_price_has_no_break_even() -> None:
    assert break_even(choice(None), use(), DRAWS) is None
    assert price_of_waiting(choice(None), use(), DRAWS) is None


def test_what_flips_it_is_ranked_and_complete() -> None:
    found = break_even(choice(), Use(30, 2.0, time_value=15.0), DRAWS)
    assert found is not None
    sizes = [one.swing for one in found.sensitivity]
    assert sizes == sorted(sizes, reverse=True)
    causes = {one.cause for one in found.sensitivity}
    assert {"market", "rents", "electricity", "rate:rented rtx-3090", "price:rtx-3090", "horizon"} <= causes
    assert found.sensitivity[0].label
    by_cause = {one.cause: one for one in found.sensitivity}
    assert by_cause["rate:rented rtx-3090"].at_high < by_cause["rate:rented rtx-3090"].at_low
    assert by_cause["electricity"].at_high > by_cause["electricity"].at_low
    assert by_cause["market"].at_high < by_cause["market"].at_low
    assert any(one.flips for one in found.sensitivity)


def test_payback_is_capital_over_what_a_month_saves() -> None:
    one = choice()
    found = break_even(one, use(60), DRAWS)
    assert found is not None
    assert 6 < found.payback_months.p50 < 24
    costlier = break_even(replace(one, purchase=egpu(price=1400.0)), use(60), DRAWS)
    assert costlier is not None and costlier.payback_months.p50 > found.payback_months.p50


def test_waiting_costs_the_heavy_user_and_pays_the_light_one() -> None:
    heavy, light = price_of_waiting(choice(), use(120), DRAWS), price_of_waiting(choice(), use(3), DRAWS)
    assert heavy is not None and light is not None
    assert heavy.mean > 0 and set(heavy.then.values()) == {"buy"}
    assert light.mean < 0 and set(light.then.values()) == {"rent"}
    assert heavy.probability_waiting_pays < light.probability_waiting_pays


def test_waiting_beyond_the_horizon_is_no_option() -> None:
    assert price_of_waiting(choice(), use(30, years=0.4), DRAWS) is None
