"""What buying, renting, quotas and clusters cost, checked by hand where a hand can."""

from dataclasses import replace

import numpy as np
import pytest

from outboard.cost.buy import buy
from outboard.cost.cluster import cluster
from outboard.cost.draws import Draws
from outboard.cost.quota import quota
from outboard.cost.rent import rent
from outboard.cost.result import CostResult
from outboard.types.estimate import Term
from outboard.types.money import Cluster, Part, Purchase, Quota, Rent, Use, Work
from tests.cost.places import CLUSTER, KAGGLE, egpu, fact, rented, use, work

DRAWS = Draws(count=512)


def plain(**terms: object) -> Purchase:
    parts = (Part("card", fact(1000.0, "USD"), ageing="none"),)
    basic = Purchase("box", parts, fact(400.0, "W"), fact(50.0, "W"), fact(0.25, "USD/kWh"))
    return replace(basic, **terms)  # type: ignore[arg-type]


def sure(hours: float = 10.0) -> Work:
    return Work(fact(hours, "h"), "speed:test")


def test_a_purchase_by_hand() -> None:
    cost = buy(plain(), sure(), use(jobs=10, years=1), DRAWS)
    energy = 120 * 10 * 0.4 * 0.25
    assert cost.over_horizon == pytest.approx(np.full(512, 1000 + energy))
    assert cost.per_job == pytest.approx(np.full(512, (1000 + energy) / 120))


def test_idle_hours_are_what_is_on_and_not_busy() -> None:
    # 120 jobs of 10 h a year are 23.08 busy hours a week.
    idling = buy(plain(on_hours_week=40.0), sure(), use(jobs=10, years=1), DRAWS).over_horizon
    idle_kwh = (40 * 52 - 1200) * 0.05
    assert idling == pytest.approx(np.full(512, 1000 + 0.25 * (1200 * 0.4 + idle_kwh)))
    full = buy(plain(on_hours_week=20.0), sure(), use(jobs=10, years=1), DRAWS).over_horizon
    assert full == pytest.approx(np.full(512, 1000 + 0.25 * 1200 * 0.4))


def test_cooling_multiplies_the_energy() -> None:
    warm = buy(plain(pue=fact(1.5)), sure(), use(jobs=10, years=1), DRAWS)
    assert warm.over_horizon == pytest.approx(np.full(512, 1000 + 1.5 * 120))


def test_administration_maintenance_fee_and_failures() -> None:
    kept = plain(
        admin_hours_month=fact(2.0, "h/month"),
        maintenance_share=fact(0.1, "1/year"),
        monthly_fee=fact(20.0, "USD/month"),
        failures_year=fact(0.05, "1/year"),
        warranty_share=0.5,
    )
    cost = buy(kept, sure(), Use(10, 1.0, time_value=15.0), DRAWS).over_horizon
    assert cost == pytest.approx(np.full(512, 1000 + 120 + 2 * 12 * 15 + 100 + 240 + 0.05 * 1000 * 0.5))


def test_a_shared_machine_shares_its_fixed_cost_only() -> None:
    cost = buy(plain(share=0.25), sure(), use(jobs=10, years=1), DRAWS)
    assert cost.over_horizon == pytest.approx(np.full(512, 250 + 120))


def test_a_bust_hurts_who_sells() -> None:
    cost = buy(egpu(), work(), use(), DRAWS)
    market = DRAWS.normal("market")
    assert cost.over_horizon[market < -1.1].mean() > cost.over_horizon[market > 1.1].mean() + 100


def test_a_part_without_a_price_makes_the_cost_unknown() -> None:
    unknown = plain(parts=(Part("card", None), Part("box", fact(100.0))))
    cost = buy(unknown, sure(), use(), DRAWS)
    assert cost.unknown == "no price is known for card"
    assert cost.band_over_horizon is None and cost.band_per_job is None
    assert np.all(np.isnan(cost.per_job)) and np.all(np.isnan(cost.over_horizon))
    assert cost.tree.value is None and "card" in cost.tree.note


def level(billing: str = "on-demand", years: float = 1.0) -> np.ndarray:
    """Return the price level that a rented hour has on average over the horizon."""
    cost = rent(Rent("unit", fact(1.0), billing=billing), sure(1.0), use(1.0, years), DRAWS)  # type: ignore[arg-type]
    return cost.per_job


def test_renting_by_hand() -> None:
    place = Rent(
        "cloud",
        fact(2.0, "USD/h"),
        setup_hours=fact(0.5, "h"),
        upload_hours=fact(3.0, "h"),
        storage_gb=100.0,
        storage_price=fact(0.08, "USD/GB/month"),
        egress_gb=10.0,
        egress_price=fact(0.09, "USD/GB"),
    )
    cost = rent(place, sure(), use(jobs=10, years=1), DRAWS)
    assert cost.over_horizon == pytest.approx(120 * (10.5 * 2.0 * level() + 0.9) + 12 * 8.0)
    assert cost.hours == pytest.approx(np.full(512, 13.5))


def test_a_stopped_machine_keeps_paying_its_disk() -> None:
    # SkyPilot 1221 and 1644: stopped clusters went on costing money.
    place = replace(rented(), storage_gb=100.0, storage_price=fact(0.08, "USD/GB/month"))
    assert rent(place, work(), use(0.0, years=1), DRAWS).over_horizon == pytest.approx(np.full(512, 96.0))


def test_places_are_ranked_by_the_finished_job_and_not_by_the_hour() -> None:
    # SkyPilot 700: a K80 was picked for its price an hour, though a T4 does four times the work in it.
    slow = rent(Rent("k80", fact(0.45)), Work(fact(8.0), "speed:k80"), use(), DRAWS)
    fast = rent(Rent("t4", fact(0.526)), Work(fact(2.0), "speed:t4"), use(), DRAWS)
    assert np.all(fast.per_job < slow.per_job)


def test_minimum_billing_and_rounding_up() -> None:
    place = Rent("cloud", fact(1.0), minimum_hours=1.0, increment_hours=0.5)
    assert rent(place, sure(0.1), use(), DRAWS).per_job == pytest.approx(level(years=2.0))
    assert rent(place, sure(1.2), use(), DRAWS).per_job == pytest.approx(1.5 * level(years=2.0))


def test_credit_left_over_is_no_income() -> None:
    rich = rent(Rent("cloud", fact(1.0), credit=1e6), sure(), use(), DRAWS)
    assert np.all(rich.over_horizon == 0.0)
    little = rent(Rent("cloud", fact(1.0), credit=100.0), sure(), use(), DRAWS)
    without = rent(Rent("cloud", fact(1.0)), sure(), use(), DRAWS)
    assert without.over_horizon - little.over_horizon == pytest.approx(np.full(512, 100.0))


def test_a_reservation_is_paid_whether_used_or_not() -> None:
    place = Rent("cloud", fact(1.0), billing="reserved-1y", commitment_ratio=fact(0.65))
    for jobs in (1.0, 50.0):
        cost = rent(place, sure(), use(jobs, years=1), DRAWS)
        assert cost.over_horizon == pytest.approx(np.full(512, 0.65 * 730 * 12))
    assert rent(place, sure(), use(80, years=1), DRAWS).load[0] > 1.0


def test_a_month_is_paid_by_the_month() -> None:
    place = Rent("server", None, billing="monthly", monthly_price=fact(184.0, "USD/month"))
    cost = rent(place, sure(), use(10, years=1), DRAWS)
    assert cost.over_horizon == pytest.approx(184 * 12 * level())


def test_spot_is_slower_and_may_still_be_cheaper() -> None:
    steady = rent(rented(0.40), work(), use(), DRAWS)
    spot = rent(rented(0.15, billing="spot"), work(), use(), DRAWS)
    assert spot.band_hours.p50 > steady.band_hours.p50
    assert spot.band_per_job is not None and steady.band_per_job is not None
    assert spot.band_per_job.p50 < steady.band_per_job.p50


def test_a_spot_job_short_of_time_finishes_on_demand() -> None:
    flaky = rented(0.15, billing="spot", between_losses=fact(1.0, "h"), restart_hours=fact(0.25, "h"))
    pressed = replace(flaky, deadline_hours=12.0, on_demand_rate=fact(0.40, "USD/h"))
    # Half of every spot hour is lost: 10 h of work take 20 h; 4 h on spot and 8 h on demand make the deadline.
    free, bound = rent(flaky, sure(), use(), DRAWS), rent(pressed, sure(), use(), DRAWS)
    assert free.hours == pytest.approx(np.full(512, 20.0))
    assert bound.hours == pytest.approx(np.full(512, 12.0))
    level = rent(Rent("unit", fact(1.0)), sure(1.0), use(), DRAWS).per_job
    spot = replace(pressed, rate=fact(0.15, "USD/h"))
    assert rent(spot, sure(), use(), DRAWS).per_job == pytest.approx(level * (4 * 0.15 + 8 * 0.40))


def test_an_old_price_has_already_drifted() -> None:
    fresh = rent(rented(), work(), use(), DRAWS).per_job
    old = rent(rented(price_age_years=1.0), work(), use(), DRAWS).per_job
    assert np.std(np.log(old)) > np.std(np.log(fresh))
    assert np.median(old) > np.median(fresh)


def test_a_quota_that_refills_takes_weeks() -> None:
    tier = Quota("tier", fact(30.0, "h/week"), session_hours=12.0, restart_hours=0.0)
    done = [float(quota(tier, sure(hours), use(), DRAWS).hours[0]) for hours in (10.0, 30.0, 31.0, 75.0)]
    assert done == pytest.approx([10.0, 30.0, 168 + 1.0, 2 * 168 + 15.0])


def test_a_quota_costs_the_person_who_reconnects() -> None:
    tier = replace(KAGGLE, reconnect_hours=0.1, usd_per_month=10.0)
    cost = quota(tier, sure(30.0), Use(1, 1.0, time_value=20.0), DRAWS)
    assert cost.over_horizon == pytest.approx(np.full(512, 12 * 3 * 0.1 * 20 + 120))


def test_sessions_too_short_for_their_restart_never_finish() -> None:
    tier = Quota("zero", None, session_hours=0.2, restart_hours=0.25)
    cost = quota(tier, sure(), use(), DRAWS)
    assert np.all(np.isinf(cost.hours)) and np.all(np.isinf(cost.per_job))
    short = Cluster("short", fact(1.0), walltime_hours=0.05, restart_hours=0.1)
    assert np.all(np.isinf(cluster(short, sure(), use(), DRAWS).per_job))


def test_a_queue_is_waited_for_at_every_submission() -> None:
    place = Cluster("cluster", fact(5.0, "h"), walltime_hours=24.0, restart_hours=0.0)
    assert cluster(place, sure(20.0), use(), DRAWS).hours == pytest.approx(np.full(512, 25.0))
    assert cluster(place, sure(50.0), use(), DRAWS).hours == pytest.approx(np.full(512, 50 + 3 * 5.0))
    paid = replace(place, usd_per_hour=fact(0.5), hands_on_hours=fact(0.2, "h"))
    cost = cluster(paid, sure(20.0), Use(1, 1.0, time_value=10.0, waiting_value=1.0), DRAWS)
    assert cost.per_job == pytest.approx(np.full(512, 20 * 0.5 + 0.2 * 10 + 25))


def places() -> list[CostResult]:
    situation = Use(30, 2.0, 0.03, time_value=15.0, waiting_value=0.5)
    return [
        buy(egpu(), work(), situation, DRAWS, rented()),
        rent(rented(), work(), situation, DRAWS),
        rent(rented(billing="spot"), work(), situation, DRAWS),
        rent(rented(billing="reserved-3y"), work(), situation, DRAWS),
        quota(KAGGLE, work(15.0), situation, DRAWS),
        cluster(CLUSTER, work(40.0), situation, DRAWS),
    ]


def leaves(term: Term) -> list[Term]:
    return [term] if not term.children else [leaf for child in term.children for leaf in leaves(child)]


@pytest.mark.parametrize("number", range(6))
def test_every_cost_explains_itself(number: int) -> None:
    cost = places()[number]
    found = cost.band_over_horizon
    assert found is not None and found.p10 <= found.p50 <= found.p90
    assert cost.tree.value == pytest.approx(found.p50)
    assert cost.tree.formula and cost.tree.children
    assert all(leaf.source for leaf in leaves(cost.tree))


def test_no_jobs_cost_nothing_by_the_hour_and_have_no_price_each() -> None:
    cost = rent(rented(), work(), use(0.0), DRAWS)
    assert np.all(cost.over_horizon == 0.0) and np.all(np.isinf(cost.per_job))
    assert np.all(buy(egpu(), work(), use(0.0), DRAWS).load == 0.0)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Use(1, 0.0), "horizon"),
        (lambda: Use(-1, 1.0), "negative"),
        (lambda: plain(share=0.0), "share"),
        (lambda: plain(on_hours_week=200.0), "168"),
    ],
)
def test_impossible_terms_cannot_be_built(build: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        build()  # type: ignore[operator]
