"""``outboard plan``, ``offers`` and ``init`` as a person runs them."""

import json
import re
from pathlib import Path

import jsonschema
import pytest

from outboard import schema
from tests.cli.conftest import Run

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
JOB = "name: render\nworkload: hours:10 h on an RTX 3090, bound by fp32\nmemory: 8 GB\nrepeat: {runs_per_month: 20}\n"
ME = "ports: [tb3]\ncountry: ES\nbudget: 1500 EUR\n"


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTBOARD_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    Path("job.yaml").write_text(JOB, encoding="utf-8")
    Path("me.yaml").write_text(ME, encoding="utf-8")


def test_the_verdict_comes_first_then_the_table_then_what_is_hidden(run: Run) -> None:
    answer = run("plan", "job.yaml", "--limit", "3")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith(("Rent ", "Buy ", "Use "))
    assert answer.out.count("✓") == 1
    assert "Shown 3 of" in answer.out and "each with its reason: --json" in " ".join(answer.out.split())


def test_the_json_satisfies_the_schema_in_any_language(run: Run) -> None:
    english, spanish = (run("plan", "job.yaml", "--json", "--lang", language).out for language in ("en", "es"))
    assert english == spanish
    found = json.loads(english)
    jsonschema.validate(found, schema.load("plan"))
    assert found["recommendation"]["place"] and found["break_even"]["sensitivity"]
    assert found["portfolio"]["gap"] == 0.0 and len(found["places"]) >= 400


def test_people_read_spanish(run: Run) -> None:
    out = run("plan", "job.yaml", "--lang", "es").out
    assert out.startswith(("Alquile", "Compre", "Use"))
    assert not re.search(r"\d\.\d+ (EUR|h)\b", out)


def test_several_jobs_are_put_together(run: Run) -> None:
    Path("other.yaml").write_text(JOB.replace("render", "other").replace("20", "2"), encoding="utf-8")
    answer = run("plan", "job.yaml", "other.yaml", "--limit", "2")
    assert answer.status == 0 and answer.out.startswith("Best together: ")
    assert "proven optimal" in " ".join(answer.out.split())


def test_nothing_feasible_is_a_clear_no(run: Run) -> None:
    Path("job.yaml").write_text(JOB.replace("8 GB", "9 TB"), encoding="utf-8")
    answer = run("plan", "job.yaml")
    assert answer.status == 1 and answer.out.startswith("Nothing is feasible")


def test_the_goal_on_the_command_line_has_the_say(run: Run) -> None:
    soonest = json.loads(run("plan", "job.yaml", "--goal", "soonest", "--json").out)
    hours = [place["hours_per_job"]["p50"] for place in soonest["places"] if place["feasible"]]
    assert soonest["goal"] == "soonest" and hours[0] == min(hours)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["job.yaml", "--situation", "you.yaml"], "you.yaml: no such file"),
        (["no.yaml"], "no.yaml: no such file"),
        (["job.yaml", "job.yaml"], "two jobs are called 'render'"),
        (["job.yaml", "--goal", "dear"], "--goal must be one of cheapest, soonest, balanced"),
        (["job.yaml", "--report", "out.pdf"], "--report must end in .html"),
        (["job.yaml", "--plot", "out.gif"], "--plot must end in .svg or .png"),
        (["job.yaml", "--plot", "nowhere/out.svg"], "there is no folder nowhere"),
        ([], "JOB.yaml... is missing"),
    ],
)
def test_wrong_usage_is_one_line(run: Run, arguments: list[str], said: str) -> None:
    answer = run("plan", *arguments)
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert said in answer.err


def test_a_report_stands_alone(run: Run) -> None:
    pytest.importorskip("vl_convert")
    assert run("plan", "job.yaml", "--report", "out.html", "--plot", "out.svg").status == 0
    page = Path("out.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 4 and page.count("application/json") >= 4
    assert not re.search(r"(src|href)=.https?:", page)
    specs = [json.loads(text) for text in re.findall(r'class="vega-lite">(.*?)</script>', page, re.DOTALL)]
    assert all(spec["data"]["values"] and spec["description"] for spec in specs)
    assert Path("out.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize("folder", sorted(path.name for path in EXAMPLES.iterdir() if (path / "me.yaml").exists()))
def test_every_example_has_a_plan(run: Run, folder: str) -> None:
    jobs = sorted(str(path) for path in (EXAMPLES / folder).glob("job*.yaml"))
    answer = run("plan", *jobs, "--situation", str(EXAMPLES / folder / "me.yaml"), "--json")
    found = json.loads(answer.out)
    assert answer.status == 0 and all(job["recommendation"]["place"] for job in found["jobs"])
    jsonschema.validate(found, schema.load("plan"))


def test_offers_are_listed_cheapest_first(run: Run) -> None:
    found = json.loads(run("offers", "h100 sxm", "--kind", "on-demand", "--json").out)
    jsonschema.validate(found, schema.load("offers"))
    prices = [offer["all_in_usd_per_hour"] for offer in found["offers"] if offer["all_in_usd_per_hour"]]
    assert prices == sorted(prices) and {offer["device"] for offer in found["offers"]} == {"h100-sxm5-80gb"}
    assert all(offer["refusal"] for offer in found["refused"])
    assert "prices collected from" in run("offers", "--limit", "2").out


def test_offers_that_do_not_exist(run: Run) -> None:
    assert run("offers", "--max-price", "0.0001 USD/h").status == 1
    assert run("offers", "--provider", "nobody").status == 2
    assert run("offers", "rtx 9999").status == 2


def test_init_writes_what_plan_reads(run: Run) -> None:
    assert run("init", "-o", "new.yaml", "--yes").status == 0
    assert run("plan", "job.yaml", "--situation", "new.yaml").status == 0
    again = run("init", "-o", "new.yaml", "--yes")
    assert again.status == 2 and "--force" in again.err


def test_init_asks_until_it_understands(monkeypatch: pytest.MonkeyPatch) -> None:
    from outboard.cli import init
    from outboard.planner.questions import questions

    budget = next(one for one in questions() if one.key == "budget")
    said = iter(["a lot", "1500", "1500 EUR"])
    assert init._ask(budget, lambda _prompt: next(said)) == "1500 EUR"


def test_the_answers_become_a_file() -> None:
    from outboard.planner.circumstances import resolve
    from outboard.planner.files import checked
    from outboard.planner.questions import questions, written
    from outboard.types.situation import Situation

    answers = {one.key: one.default for one in questions()}
    answers |= {"owned": "rtx-3060-12gb@tb3, rtx-4090x2", "country": "ES", "budget": "1500 EUR", "slurm": "a100-40gb"}
    import yaml

    me = resolve(checked(yaml.load(written(answers), yaml.BaseLoader), Situation, "me.yaml"))
    assert [place.count for place in me.owned] == [1, 2] and me.slurm is not None
