"""Plans for language models that are served: a day is a run, and an API stands beside."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from outboard import catalog, schema
from outboard.errors import FileError, UsageError
from outboard.planner import jobs
from outboard.planner.document import document
from outboard.planner.serving.cost import token_cost, watts
from outboard.planner.serving.daily import chosen, hours_a_day
from outboard.planner.serving.service import api_price
from outboard.types.evidence import Evidence, Fact
from outboard.types.plan import RENTED
from tests.gguf.writer import llama, write
from tests.planner.made import job, me, of_kind, planned, reasons

SERVE = {"tokens_per_day": 1e6, "users": 2, "quantisation": "q4_k_m"}


def served(model: str = "llama-3.1-8b", **said: Any) -> jobs.Asked:
    return job(model, task="serve", serve=SERVE | said)


def test_a_service_runs_every_day_and_answers_at_any_time() -> None:
    plan = planned(served(), me())
    assert plan.runs_per_month == pytest.approx(365 / 12)
    rented = [place for place in of_kind(plan, *RENTED) if place.feasible]
    assert rented and all(24.0 <= place.hours_per_job.p50 < 25.0 for place in rented if place.hours_per_job)
    bought = [place for place in of_kind(plan, "workstation") if place.feasible]
    assert bought and all(place.hours_per_job.p50 < 24.0 for place in bought if place.hours_per_job)
    assert reasons(plan, "free tier") >= {"hours"}
    assert "answers at any time" in plan.recommendation.sentence or "a day's tokens" in plan.recommendation.sentence


def test_a_service_that_may_be_off_pays_for_its_work_alone() -> None:
    always, off = (planned(served(always_on=on), me()) for on in (True, False))
    dear, cheap = (
        min(one.cost_over_horizon.p50 for one in of_kind(plan, "on-demand") if one.feasible and one.cost_over_horizon)
        for plan in (always, off)
    )
    assert cheap < dear / 3


def test_a_rate_that_each_must_get_rules_slow_places_out() -> None:
    quick, slow = (planned(served(rate=rate), me()) for rate in (1.0, 60.0))
    assert sum(one.feasible for one in slow.places) < sum(one.feasible for one in quick.places)
    assert any("gives each of 2 users" in reason.text for one in slow.places for reason in one.reasons)


def test_users_who_never_pause_say_how_much_is_written() -> None:
    asked = job("llama-3.1-8b", task="serve", serve={"users": 4, "rate": 10, "prompt_tokens_per_day": 0})
    assert asked.service is not None and asked.service.written == 4 * 10 * 86400
    plan = planned(asked, me())
    assert any(one.feasible for one in plan.places)


def test_more_than_a_day_holds_is_no_plan() -> None:
    plan = planned(served(tokens_per_day=1e12), me())
    assert plan.recommendation.id is None
    assert any("a day's tokens take it" in reason.text for one in plan.places for reason in one.reasons)


@pytest.mark.parametrize(("price", "verdict"), [("0.01 USD/Mtok", "cheaper"), ("50 USD/Mtok", "dearer")])
def test_an_api_stands_beside_the_place(price: str, verdict: str) -> None:
    plan = planned(served(api_price=price, prompt_tokens_per_day=0), me())
    assert plan.service is not None and plan.service.api_per_million == pytest.approx(float(price.split()[0]))
    said = " ".join(plan.recommendation.changes)
    assert f"The API is {verdict}" in said and "A million written tokens cost" in said
    told = document([plan], None)["jobs"][0]["service"]
    assert told["api_over_horizon"] == pytest.approx(float(price.split()[0]) * 730)
    assert told["cost_per_million_tokens"]["p50"] > 0


def test_what_is_read_costs_the_api_something_too() -> None:
    plan = planned(served(api_price="1 USD/Mtok", api_price_prompt="0.5 USD/Mtok"), me())
    assert plan.service is not None and plan.service.api_per_million == pytest.approx(1 + 3 * 0.5)
    assert any("three tokens are read" in text for text in plan.assumptions)


def test_a_narrower_quantisation_is_taken_where_the_wider_is_too_slow() -> None:
    asked = job("llama-3.1-8b", task="serve", serve={"tokens_per_day": 1e6, "rate": 60.0})
    assert asked.service is not None
    one = chosen(asked.service, catalog.place("rtx-3090"))
    assert one.quantisation == "q8_0" and one.speed is not None and one.speed.decode >= 60.0
    hours = hours_a_day(asked.service, one)
    assert hours.low is not None and hours.low < hours.value < 24.0


def test_a_model_file_is_looked_for_beside_the_job_file(tmp_path: Path) -> None:
    write(tmp_path / "tiny.gguf", *llama())
    (tmp_path / "job.yaml").write_text(
        "workload: gguf:tiny.gguf\ntask: serve\nserve: {tokens_per_day: 1000}\n", encoding="utf-8"
    )
    asked = jobs.load(tmp_path / "job.yaml")
    assert asked.service is not None and asked.service.source.model.name == "Tiny"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"task": "serve"}, "serve: is missing"),
        ({"task": "infer", "serve": SERVE, "data": {"samples": 1}}, "goes with task: serve only"),
        ({"task": "serve", "serve": SERVE | {"quantisation": "q9"}}, "'q9' is no quantisation"),
        ({"task": "serve", "serve": SERVE | {"api_price": "1 USD"}}, "serve.api_price"),
        ({"task": "serve", "serve": SERVE | {"api_price": "0 USD/Mtok"}}, "is no price"),
    ],
)
def test_what_is_wrong_with_a_service_is_named(said: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        job("llama-3.1-8b", **said)
    with pytest.raises(FileError, match="unknown language model"):
        job("llama-9-8b", task="serve", serve=SERVE)


def test_a_service_of_which_nobody_says_how_much_it_is_is_refused(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text("workload: llama-3.1-8b\ntask: serve\nserve: {users: 4}\n", encoding="utf-8")
    with pytest.raises(FileError, match="neither tokens_per_day nor the rate"):
        jobs.load(tmp_path / "job.yaml")


def test_money_for_a_million_tokens() -> None:
    asked = served()
    assert asked.service is not None
    place = catalog.place("rtx-3090")
    speed = chosen(asked.service, place).speed
    assert speed is not None
    tariff = Fact(0.2, "USD/kWh", "test", Evidence.ASSUMED)
    cost = token_cost(place, speed, 0.0, tariff, api_price("2 USD/Mtok", "x"))
    draw = watts(place)
    assert draw is not None and cost.watts == draw and cost.energy is not None and cost.paid_off is not None
    assert cost.energy == pytest.approx(draw.value / 1e3 * 1e6 / speed.together / 3600 * 0.2)
    assert cost.bought is not None and cost.paid_off == pytest.approx(cost.bought.value / (2.0 - cost.energy))
    dear = token_cost(place, speed, 0.0, tariff, api_price("0.001 USD/Mtok", "x"))
    assert dear.paid_off is None and dear.cheapest == "api"


def test_the_document_of_a_service_satisfies_its_schema() -> None:
    jsonschema.validate(document([planned(served(api_price="1 USD/Mtok"), me())], None), schema.load("plan"))
