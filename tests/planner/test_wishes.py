"""Stages that the person means to buy in, and prices that they were given."""

from typing import Any

import pytest

from outboard.errors import UsageError
from tests.planner.made import job, me, of_kind, planned

LAPTOP: dict[str, Any] = {"ports": ["tb3"], "country": "ES", "horizon": "24 months"}
OFTEN = {"repeat": {"runs_per_month": 15}}
STAGES = [{"device": "rtx-3060-12gb", "link": "tb3"}, {"device": "rtx-3090", "link": "tb3", "after": "12 months"}]


def test_a_staged_purchase_lies_between_its_stages() -> None:
    found = planned(job(**OFTEN), me(**LAPTOP, staged=STAGES))
    by_id = {place.id: place for place in found.places}
    both = by_id["staged:rtx-3060-12gb@tb3>rtx-3090@tb3"]
    small, large = by_id["egpu:rtx-3060-12gb@tb3:used"], by_id["egpu:rtx-3090@tb3:used"]
    assert both.feasible and both.hours_per_job and small.hours_per_job and large.hours_per_job
    assert large.hours_per_job.p50 < both.hours_per_job.p50 < small.hours_per_job.p50
    assert both.upfront and small.upfront and both.upfront > small.upfront
    assert "after 12 months" in both.label


def test_a_second_card_joins_the_first() -> None:
    stages = [{"device": "rtx-3090"}, {"device": "rtx-3090x2", "after": "1 year"}]
    found = planned(job(**OFTEN), me(**LAPTOP, staged=stages))
    by_id = {place.id: place for place in found.places}
    both, two = by_id["staged:rtx-3090>rtx-3090x2"], by_id["workstation:rtx-3090x2:used"]
    assert both.upfront and two.upfront and both.upfront < two.upfront


def test_a_stage_too_small_for_the_job_makes_the_purchase_infeasible() -> None:
    found = planned(job(**OFTEN, memory="20 GB"), me(**LAPTOP, staged=STAGES))
    both = next(place for place in found.places if place.id.startswith("staged:"))
    assert [reason.kind for reason in both.reasons] == ["memory"]


def test_a_deadline_must_be_met_in_the_slowest_stage_too() -> None:
    slow = job("hours:20 h on an RTX 3060, bound by fp32", **OFTEN)
    found = planned(slow, me(**LAPTOP, staged=STAGES, constraints={"deadline": "16 h"}))
    both = next(place for place in found.places if place.id.startswith("staged:"))
    assert both.hours_per_job and both.hours_per_job.p50 < 16.0
    assert [reason.kind for reason in both.reasons] == ["deadline"]


def test_a_quote_by_the_month_is_paid_whether_used_or_not() -> None:
    quotes = [{"device": "rtx-4090", "price": "300 EUR/month", "provider": "Acme"}]
    costs = [
        of_kind(planned(job(repeat={"runs_per_month": runs}), me(**LAPTOP, access={"quotes": quotes})), "monthly")[0]
        for runs in (1, 20)
    ]
    assert costs[0].cost_over_horizon and costs[1].cost_over_horizon
    assert costs[0].cost_over_horizon.p50 == pytest.approx(costs[1].cost_over_horizon.p50)
    assert costs[0].cost_over_horizon.p50 > 24 * 300


def test_a_quote_by_the_hour_is_a_place_like_any_other() -> None:
    quotes = [{"device": "rtx-3090", "price": "0.01 EUR/h", "provider": "the department", "spot": False}]
    found = planned(job(**OFTEN), me(**LAPTOP, access={"quotes": quotes, "tiers": []}))
    assert found.recommendation.id == "quote:0:the-department:rtx-3090:on-demand"


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ({"staged": [{"device": "rtx-9999"}]}, "staged[0].device"),
        ({"staged": [{"device": "rtx-3090", "after": "3 months"}]}, "staged[0].after"),
        ({"staged": [*STAGES, {"device": "rtx-4090", "link": "tb3", "after": "6 months"}]}, "staged[2].after"),
        ({"staged": [STAGES[0], {"device": "rtx-4090"}]}, "staged[1].after"),
        ({"staged": [STAGES[0], {**STAGES[1], "after": "5 years"}]}, "staged[1].after"),
        ({"staged": [STAGES[0], {**STAGES[1], "price": "650"}]}, "staged[1].price"),
        ({"access": {"quotes": [{"device": "t4", "price": "1 EUR/day", "provider": "x"}]}}, "access.quotes[0].price"),
        (
            {"access": {"quotes": [{"device": "t4", "price": "9 EUR/month", "provider": "x", "spot": True}]}},
            "access.quotes[0].price",
        ),
    ],
)
def test_what_is_wrong_names_file_and_key(said: dict[str, Any], key: str) -> None:
    with pytest.raises(UsageError) as caught:
        me(**{**LAPTOP, **said})
    assert str(caught.value).startswith(f"me.yaml: {key}: "), str(caught.value)


def test_a_card_without_a_fan_needs_an_open_dock_and_one_is_counted() -> None:
    found = planned(job(**OFTEN), me(ports=["tb3", "oculink-pcie4-x4"], country="ES"))
    by_id = {place.id: place for place in found.places}
    closed, tower = by_id["egpu:p40@tb3:used"], by_id["workstation:p40:used"]
    assert any("fan" in note for note in tower.notes)
    assert closed.notes or any("fan" in reason.text for reason in closed.reasons)
