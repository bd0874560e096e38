"""A plan: who is in, who is out and why, which to take, when buying pays."""

import math

import jsonschema
import pytest

from outboard import schema
from outboard.planner.document import document
from outboard.types.plan import BOUGHT, RENTED
from tests.planner.made import job, me, of_kind, planned, reasons

LAPTOP = {"ports": ["tb3"], "country": "ES", "budget": "1500 EUR"}
OFTEN = {"repeat": {"runs_per_month": 30}}
MONTHLY = {"device": "rtx-4090", "price": "300 EUR/month", "provider": "Acme"}


def test_every_kind_of_place_is_a_candidate() -> None:
    access = {"slurm": {"gpus": ["v100-pcie-16gb"], "wait": "1 h"}, "quotes": [MONTHLY]}
    situation = me(**LAPTOP, owned=[{"device": "t4"}], access=access)
    kinds = {place.kind for place in planned(job(**OFTEN), situation).places}
    assert kinds == {*BOUGHT, *RENTED, "owned", "free tier", "cluster"}


def test_every_infeasible_place_says_why() -> None:
    found = planned(job(**OFTEN, memory="20 GB"), me(**LAPTOP))
    for place in found.places:
        assert place.feasible == (not place.reasons)
        assert all(reason.text for reason in place.reasons)
    assert {"memory", "budget", "price unknown", "price not believed"} <= {
        reason.kind for place in found.places for reason in place.reasons
    }


def test_the_best_comes_first_and_the_infeasible_last() -> None:
    found = planned(job(**OFTEN), me(**LAPTOP))
    assert found.places[0].id == found.recommendation.id
    feasible = [place.feasible for place in found.places]
    assert feasible == sorted(feasible, reverse=True)
    costs = [place.cost_over_horizon.p50 for place in found.places if place.feasible and place.cost_over_horizon]
    assert costs == sorted(costs)


def test_the_goal_decides() -> None:
    chosen = {goal: planned(job(**OFTEN), me(**LAPTOP, goal=goal)).places[0] for goal in ("cheapest", "soonest")}
    cheap, soon = chosen["cheapest"], chosen["soonest"]
    assert cheap.cost_over_horizon and soon.cost_over_horizon and cheap.hours_per_job and soon.hours_per_job
    assert cheap.cost_over_horizon.p50 < soon.cost_over_horizon.p50
    assert cheap.hours_per_job.p50 > soon.hours_per_job.p50
    balanced = planned(job(**OFTEN), me(**LAPTOP, goal="balanced")).places[0]
    assert balanced.pareto


def test_data_that_may_not_leave_stays() -> None:
    stays = {"constraints": {"data_may_leave": False}, "access": {"quotes": [MONTHLY]}}
    found = planned(job(**OFTEN), me(**LAPTOP, **stays))
    for kind in (*RENTED, "free tier"):
        assert "data may not leave" in reasons(found, kind)
        assert not any(place.feasible for place in of_kind(found, kind))
    assert found.recommendation.id and found.recommendation.id.startswith(("egpu", "workstation"))
    assert found.break_even is None and found.no_break_even


def test_a_cluster_that_may_hold_the_data_is_allowed() -> None:
    slurm = {"gpus": ["v100-pcie-16gb"], "wait": "1 h"}
    kept = {"constraints": {"data_may_leave": False}}
    assert "data may not leave" in reasons(planned(job(), me(**kept, access={"slurm": slurm})), "cluster")
    allowed = me(**kept, access={"slurm": {**slurm, "data_allowed": True}})
    assert not reasons(planned(job(), allowed), "cluster")


def test_what_must_be_carried_is_no_server() -> None:
    found = planned(job(), me(ports=["usb4-40"], constraints={"portable": True}))
    for kind in ("workstation", "server"):
        assert "must be portable" in reasons(found, kind)
    carried = planned(job(), me(ports=["usb4-40"], constraints={"portable": {"max_weight": "2 kg"}}))
    assert any(
        "kg" in r.text for place in of_kind(carried, "egpu") for r in place.reasons if r.kind == "must be portable"
    )


def test_a_card_that_no_box_takes_is_incompatible() -> None:
    found = planned(job(), me(ports=["tb3"]))
    box = next(place for place in found.places if place.id == "egpu:rtx-5090@tb3:new")
    assert [reason.kind for reason in box.reasons if reason.kind == "compatibility"] or box.notes


def test_apple_silicon_drives_no_external_gpu() -> None:
    found = planned(job(), me(host="apple-silicon"))
    boxes = of_kind(found, "egpu")
    assert boxes
    for place in boxes:
        assert any("Apple Silicon" in r.text for r in place.reasons if r.kind == "compatibility")
    assert found.recommendation.id is not None


def test_a_deadline_leaves_slow_places_out() -> None:
    found = planned(job(), me(constraints={"deadline": "5 h"}))
    for place in found.places:
        if place.hours_per_job and place.hours_per_job.p50 > 5.0:
            assert "deadline" in {reason.kind for reason in place.reasons}


def test_more_work_than_a_week_has_is_too_much_for_one_machine() -> None:
    found = planned(job("hours:100 h on an RTX 3090, bound by fp32", repeat={"runs_per_week": 5}), me(**LAPTOP))
    assert "hours" in reasons(found, "egpu") and "hours" in reasons(found, "free tier")


def test_what_is_owned_costs_no_price() -> None:
    found = planned(job(**OFTEN), me(country="ES", owned=[{"device": "rtx-3090", "link": "pcie4-x16"}]))
    mine = of_kind(found, "owned")[0]
    assert mine.feasible and mine.upfront == 0.0
    assert mine.cost_over_horizon and 0 < mine.cost_over_horizon.p50 < 2000


def test_sharing_a_machine_makes_it_cheaper() -> None:
    alone, shared = (planned(job(**OFTEN), me(**LAPTOP, shared_by=n)) for n in (1, 4))
    cost = [
        next(p.cost_over_horizon for p in found.places if p.id == "egpu:rtx-3090@tb3:used") for found in (alone, shared)
    ]
    assert cost[0] and cost[1] and cost[1].p50 < cost[0].p50


def test_a_job_that_never_runs_buys_nothing() -> None:
    found = planned(job(repeat={"runs": 0}), me(**LAPTOP))
    assert found.places[0].kind not in BOUGHT
    assert found.break_even is None or found.break_even.probability_at_stated_use == 0.0


def test_more_use_favours_buying() -> None:
    chances = []
    for runs in (1, 10, 40):
        turn = planned(job(repeat={"runs_per_month": runs}), me(**LAPTOP)).break_even
        assert turn is not None
        chances.append(turn.probability_at_stated_use)
    assert chances == sorted(chances)


def test_the_break_even_is_told_with_what_flips_it() -> None:
    turn = planned(job(**OFTEN), me(**LAPTOP)).break_even
    assert turn is not None
    assert turn.hours_per_week.p10 <= turn.hours_per_week.p50 <= turn.hours_per_week.p90
    assert turn.stated_hours_per_week > 0 and turn.sensitivity
    swings = [
        math.inf if None in (one.at_low, one.at_high) and one.at_low != one.at_high else abs(one.at_low - one.at_high)  # type: ignore[operator]
        for one in turn.sensitivity
    ]
    assert swings == sorted(swings, reverse=True)


def test_the_sentence_says_what_costs_and_when() -> None:
    said = planned(job(**OFTEN), me(**LAPTOP)).recommendation
    assert said.sentence.split()[0] in ("Rent", "Buy", "Use")
    assert "EUR" in said.sentence and "done in" in said.sentence and " to " in said.sentence


def test_where_nothing_is_feasible_the_nearest_is_named() -> None:
    found = planned(job(memory="5000 GB"), me(**LAPTOP))
    assert found.recommendation.id is None and found.recommendation.place is None
    assert found.recommendation.sentence.startswith("Nothing is feasible among")
    assert "memory" in found.recommendation.sentence


@pytest.mark.parametrize("runs", [0, 30])
def test_the_document_satisfies_its_schema(runs: int) -> None:
    found = planned(job(repeat={"runs": runs}), me(**LAPTOP))
    made = document([found], None)
    jsonschema.validate(made, schema.load("plan"))
    assert made["recommendation"]["place"] == made["places"][0]["place"]
    assert len({place["id"] for place in made["places"]}) == len(made["places"])


def test_a_real_model_is_forecast_on_each_place() -> None:
    asked = job("zoo:resnet50", task="train", precision="amp-fp16", data={"samples": 50000, "epochs": 3})
    found = planned(asked, me(**LAPTOP))
    hours = {
        place.place: place.hours_per_job.p50 for place in found.places if place.kind == "egpu" and place.hours_per_job
    }
    assert hours["rtx-3090@tb3"] < hours["rtx-3060-12gb@tb3"]
    assert all(place.batch for place in found.places if place.feasible)
