"""Laws that must hold whatever the numbers are."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from outboard.cost import formulas as f
from outboard.cost.breakeven import Choice, break_even, jobs_month
from outboard.cost.buy import buy
from outboard.cost.cluster import cluster
from outboard.cost.draws import Draws
from outboard.cost.quota import quota
from outboard.cost.rent import rent
from outboard.types.money import Part, Purchase, Rent
from tests.cost.places import CLUSTER, KAGGLE, egpu, fact, rented, use, work

DRAWS = Draws(count=256)
rates = st.floats(0.01, 20.0)
hours = st.floats(0.05, 500.0)
prices = st.floats(20.0, 5000.0)
quick = settings(max_examples=40, deadline=None)


def needed(purchase: Purchase, place: Rent, one_job: float) -> np.ndarray:
    choice = Choice(purchase, work(one_job), place, work(one_job))
    return jobs_month(choice.own(use(), DRAWS), choice.rent(use(), DRAWS), use())


@quick
@given(rates, st.floats(1.0, 5.0), hours, prices)
def test_dearer_rent_never_delays_buying(rate: float, dearer: float, one_job: float, price: float) -> None:
    purchase = egpu(price, failures=0.12)
    cheap, dear = (needed(purchase, rented(value), one_job) for value in (rate, rate * dearer))
    # Infinity over infinity is still never.
    assert np.all((dear <= cheap * (1 + 1e-9)) | np.isinf(cheap))


@quick
@given(rates, hours, prices, st.floats(0.1, 300.0), st.floats(1.0, 10.0))
def test_more_use_never_favours_renting_on_demand(
    rate: float, one_job: float, price: float, jobs: float, more: float
) -> None:
    choice = Choice(egpu(price), work(one_job), rented(rate), work(one_job))
    little, much = (break_even(choice, use(number), DRAWS) for number in (jobs, jobs * more))
    assert little is not None and much is not None
    assert much.probability_at_stated_use >= little.probability_at_stated_use


@quick
@given(rates, hours, prices)
def test_zero_hours_never_buys(rate: float, one_job: float, price: float) -> None:
    found = break_even(Choice(egpu(price), work(one_job), rented(rate), work(one_job)), use(0.0), DRAWS)
    assert found is not None
    assert found.probability_at_stated_use == 0.0
    assert found.payback_months.p50 == np.inf


@quick
@given(hours, st.floats(1.0, 20.0))
def test_a_faster_place_never_takes_longer(one_job: float, faster: float) -> None:
    slow, fast = work(one_job), work(one_job / faster)
    places = (
        lambda job: buy(egpu(), job, use(), DRAWS),
        lambda job: rent(rented(), job, use(), DRAWS),
        lambda job: rent(rented(billing="spot"), job, use(), DRAWS),
        lambda job: quota(KAGGLE, job, use(), DRAWS),
        lambda job: cluster(CLUSTER, job, use(), DRAWS),
    )
    for place in places:
        assert np.all(place(fast).hours <= place(slow).hours * (1 + 1e-9))


@quick
@given(st.lists(st.tuples(prices, st.floats(0.0, 5.0)), min_size=1, max_size=6))
def test_stages_without_discounting_cost_the_same(stages: list[tuple[float, float]]) -> None:
    amounts, years = [price for price, _ in stages], [year for _, year in stages]
    assert np.isclose(f.staged_cost(amounts, years), sum(amounts))


@quick
@given(prices, st.floats(0.1, 0.9), st.floats(0.0, 2.0))
def test_a_staged_purchase_without_discounting_costs_the_same(price: float, share: float, year: float) -> None:
    def bought(*parts: Part) -> Purchase:
        return Purchase("box", parts, fact(300.0), fact(0.0), fact(0.2))

    at_once = bought(Part("card", fact(price), ageing="none"))
    staged = bought(
        Part("now", fact(share * price), ageing="none"),
        Part("later", fact((1 - share) * price), at_years=year, ageing="none"),
    )
    costs = [buy(purchase, work(), use(), DRAWS).over_horizon for purchase in (at_once, staged)]
    assert np.allclose(*costs)


@quick
@given(st.floats(0.0, 1.0), st.floats(0.5, 40.0))
def test_an_annuity_pays_back_what_it_recovers(rate: float, years: float) -> None:
    payment = f.annuity(rate, round(years) or 1)
    received = sum(f.present_value(payment, rate, float(year)) for year in range(1, (round(years) or 1) + 1))
    assert np.isclose(received, 1.0)


@quick
@given(hours, st.floats(0.5, 50.0), st.floats(0.0, 1.0), st.floats(0.0, 2.0))
def test_preemption_never_shortens_a_job(work_hours: float, between: float, restart: float, checkpoint: float) -> None:
    compounded = f.spot_hours(work_hours, between, restart, checkpoint)
    assert np.all(compounded >= f.spot_hours_first_order(work_hours, between, restart, checkpoint) * (1 - 1e-9))
    assert np.all(compounded >= work_hours * (1 - 1e-9))
