"""The view of a job: its numbers are those of the program, and every state is an address."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient

from outboard import api
from outboard.planner.document import document
from outboard.schema import documents
from tests.web.pages import Element, read

RESNET = "w=zoo:resnet50&task=train&precision=amp-fp16&have=rtx-3060-12gb@tb3&hours=20&months=24&country=ES"


def page(client: TestClient, query: str = "", **headers: str) -> Element:
    answer = client.get(f"/?{query}", headers=headers)
    assert answer.status_code == 200, answer.text[:300]
    return read(answer.text)


def test_it_opens_with_the_answer_in_one_sentence(client: TestClient) -> None:
    opened = page(client)
    main = opened.one("main")
    first = main.every("section")[0]
    assert first.attributes["id"] == "verdict"
    assert "Fits" in first.one("h1").text
    assert "rtx-3090@tb3" in first.one("h1").text
    assert first.one("p", class_="advice").text.startswith(("Use ", "Rent ", "Buy "))


def test_it_shows_every_part(client: TestClient) -> None:
    opened = page(client)
    titles = [one.text for one in opened.every("h2")]
    assert titles[:5] == [
        "Does it fit?",
        "How fast, where?",
        "What does it cost, and where should it run?",
        "Do the parts work together?",
        "The same elsewhere",
    ]
    charts = {one.attributes["id"] for one in opened.every("figure")}
    assert charts == {"chart-link", "chart-time", "chart-use", "chart-front", "chart-matters"}
    for figure in opened.every("figure"):
        assert json.loads(figure.one("div", class_="draw").attributes["data-spec"])[
            "data" if figure.attributes["id"] != "chart-link" else "layer"
        ]
        assert figure.every("tbody")[0].every("tr"), "the chart as a table"


def test_the_rates_are_those_of_compare(client: TestClient) -> None:
    opened = page(client, RESNET)
    table = opened.one("table", class_="rates")
    shown = [row.one("th").text for row in table.one("tbody").every("tr")]
    wanted = api.compare("zoo:resnet50", shown, task="train", precision="amp-fp16")
    assert shown == [one.place for one in wanted]
    rates = [row.every("td")[2].text.replace(",", "") for row in table.one("tbody").every("tr")]
    for text, one in zip(rates, wanted, strict=True):
        assert one.step.throughput.value is not None
        assert float(text) == pytest.approx(one.step.throughput.value, rel=0.006)


def test_each_number_opens_to_formula_inputs_and_source(client: TestClient) -> None:
    opened = page(client)
    for title in ("h-fit", "h-rate"):
        section = _section(opened, title)
        trees = section.every("details", class_="tree")
        assert trees
        assert all(tree.every("p", class_="source") for tree in trees)
    assert any(one.text.startswith("=") for one in opened.every("p", class_="formula"))
    assert _section(opened, "h-plan").every("details", class_="tree"), "costs open too"


def _section(opened: Element, title: str) -> Element:
    return next(one for one in opened.every("section") if one.attributes.get("aria-labelledby") == title)


def test_another_place_in_sight_is_a_link(client: TestClient) -> None:
    opened = page(client, RESNET)
    link = next(one for one in opened.every("a") if one.text == "l4" and "at=l4" in one.attributes["href"])
    assert "l4" in page(client, link.attributes["href"].removeprefix("/?")).one("h1").text


def test_the_json_twin_is_what_the_program_gives(client: TestClient, tmp_path: Path) -> None:
    twin = client.get(f"/plan.json?{RESNET}").json()
    files = {name: tmp_path / name for name in ("job.yaml", "me.yaml")}
    for name, path in files.items():
        path.write_text(client.get(f"/{name}?{RESNET}").text, encoding="utf-8")
    answer = api.plan(files["job.yaml"], files["me.yaml"])
    assert twin["plan"] == plain(document(answer.plans, answer.portfolio))
    places = [one["place"] for one in twin["compare"]]
    fields: dict[str, Any] = {"task": "train", "precision": "amp-fp16"}
    assert twin["compare"] == plain(documents.compare(api.compare("zoo:resnet50", places, **fields)))
    assert twin["estimate"] == plain(
        documents.estimate(api.estimate("zoo:resnet50", "rtx-3060-12gb@tb3", **fields), tree=True)
    )


def plain(found: Any) -> Any:
    return json.loads(json.dumps(found))


def test_the_twin_speaks_english_and_si_whatever_the_language(client: TestClient) -> None:
    assert client.get(f"/plan.json?{RESNET}&lang=es").json() == client.get(f"/plan.json?{RESNET}").json()


def test_the_files_say_what_was_asked(client: TestClient) -> None:
    query = RESNET + "&budget=900 EUR&own_hour=5 EUR/h&leave=no&samples=1000&epochs=3&runs=2"
    job = yaml.safe_load(client.get(f"/job.yaml?{query}").text)
    me = yaml.safe_load(client.get(f"/me.yaml?{query}").text)
    assert job["data"] == {"samples": 1000, "epochs": 3.0}
    assert job["repeat"] == {"runs_per_week": 2.0}
    assert me["owned"] == [{"device": "rtx-3060-12gb", "link": "tb3"}]
    assert (me["budget"], me["time_value"], me["constraints"]["data_may_leave"]) == ("900 EUR", "5 EUR/h", False)


def test_the_equal_command_stands_at_the_foot(client: TestClient) -> None:
    text = page(client, RESNET).one("pre").text
    assert "outboard estimate zoo:resnet50 --precision amp-fp16 --on rtx-3060-12gb@tb3" in text
    assert "outboard plan job.yaml --situation me.yaml" in text


def test_more_hours_move_the_verdict_and_not_the_break_even(client: TestClient) -> None:
    few, many = (client.get(f"/plan.json?{RESNET}&hours={hours}").json()["plan"]["break_even"] for hours in (2, 100))
    assert few["stated_hours_per_week"] < many["stated_hours_per_week"]
    assert few["probability_at_stated_use"] <= many["probability_at_stated_use"]


def test_what_does_not_fit_says_what_would_help(client: TestClient) -> None:
    opened = page(client, "w=zoo:llama-3.1-8b&task=train&precision=bf16&have=rtx-3060-12gb@tb3")
    assert "Does not fit" in opened.one("h1").text
    assert "What would make it fit" in [one.text for one in opened.every("h3")]


def test_a_change_gets_only_the_part_that_changes(client: TestClient) -> None:
    headers = {"HX-Request": "true"}
    part = client.get(f"/?{RESNET}&hours=33", headers=headers)
    assert "<html" not in part.text
    found = read(part.text)
    assert found.one("section", id="plan").attributes["hx-get"].startswith("/plan?"), "the plan comes after it"
    plan = read(client.get(found.one("section", id="plan").attributes["hx-get"], headers=headers).text)
    assert plan.one("div", id="advice").attributes["hx-swap-oob"] == "true"
    again = read(client.get(f"/?{RESNET}&hours=33", headers=headers).text)
    assert "hx-get" not in again.one("section", id="plan").attributes, "a plan that is there comes at once"


def test_going_back_in_history_gets_the_whole_page(client: TestClient) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<html" in client.get("/", headers=headers).text


def test_a_part_and_a_page_are_never_mixed_by_a_cache(client: TestClient) -> None:
    answer = client.get("/")
    assert "HX-Request" in answer.headers["vary"]
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("part", [False, True])
def test_a_wrong_field_is_named_and_everything_written_stays(client: TestClient, part: bool) -> None:
    headers = {"HX-Request": "true"} if part else {}
    answer = client.get("/?hours=999&budget=12 EUR", headers=headers)
    assert answer.status_code == 422
    opened = read(answer.text)
    assert "hours '999'" in opened.one("h1").text
    assert "from 0 to 168" in opened.one("h1").text
    if part:
        assert opened.one("div", id="answer").attributes["data-wrong"] == "hours"
    else:
        field = opened.one("input", name="hours")
        assert (field.attributes["value"], field.attributes["aria-invalid"]) == ("999", "true")
        assert opened.one("input", name="budget").attributes["value"] == "12 EUR"


def test_what_is_written_is_never_markup(client: TestClient) -> None:
    answer = client.get("/", params={"have": "<script>alert(1)</script>", "budget": '"><img src=x>'})
    assert answer.status_code == 422
    assert "<script>alert" not in answer.text
    assert "<img src=x" not in answer.text


def test_the_json_of_a_wrong_question_names_its_field(client: TestClient) -> None:
    answer = client.get("/plan.json?months=0")
    assert answer.status_code == 422
    assert answer.json()["field"] == "months"


@pytest.mark.parametrize("chart", ["link", "time", "use", "front", "matters"])
def test_charts_are_drawn_for_browsers_without_scripts(client: TestClient, chart: str) -> None:
    light = client.get(f"/chart.svg?chart={chart}")
    assert light.headers["content-type"] == "image/svg+xml"
    assert light.text.startswith("<svg")
    assert light.text != client.get(f"/chart.svg?chart={chart}&dark=yes").text


def test_an_unknown_chart_is_refused(client: TestClient) -> None:
    assert client.get("/chart.svg?chart=pie").status_code == 422


def test_the_cost_of_each_place_opens(client: TestClient) -> None:
    opened = page(client)
    link = _places(opened)
    told = read(client.get(link.one("a").attributes["href"]).text)
    assert told.every("details", class_="tree")
    assert client.get("/cost?id=nowhere").status_code == 422


def _places(opened: Element) -> Element:
    tables = [one for one in _section(opened, "h-plan").every("table") if one.every("a")]
    return tables[0].one("tbody")


def test_the_page_is_small(client: TestClient) -> None:
    import gzip

    whole = len(gzip.compress(client.get("/").content))
    opened = page(client)
    assets = {one.attributes.get("src") or one.attributes.get("href", "") for one in opened.every("script")}
    assets |= {one.attributes["href"] for one in opened.every("link")}
    assets |= {value for one in opened.every("script") for name, value in one.attributes.items() if "data-" in name}
    for path in assets - {""}:
        whole += len(gzip.compress(client.get(path).content))
    assert whole < 400_000
    assert all(path.startswith("/static/") for path in assets - {""})
