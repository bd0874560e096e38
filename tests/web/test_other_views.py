"""Language models, this machine, and runs."""

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from outboard.keeper.folder import LOG, STATE
from outboard.store import Store
from outboard.types.measured import Figure, JobMeasurement
from outboard.types.run import Run
from tests.cli.conftest import Run as Command
from tests.cli.conftest import plain_terminal, run, trace_cache
from tests.web.pages import read

__all__ = ["plain_terminal", "run", "trace_cache"]


def test_language_models_are_those_of_the_command(client: TestClient, run: Command) -> None:
    told = json.loads(run("fit-llm", "--on", "rtx-3060-12gb@tb3", "--json").out)
    assert client.get("/llm.json?on=rtx-3060-12gb@tb3").json() == told
    opened = read(client.get("/llm?on=rtx-3060-12gb@tb3").text)
    assert opened.one("h1").text.startswith("26 of 42 models fit on rtx-3060-12gb@tb3")
    assert len(opened.one("tbody").every("tr")) == len(told["models"])
    assert opened.one("pre").text == "outboard fit-llm --on rtx-3060-12gb@tb3"


def test_one_model_in_every_quantisation(client: TestClient, run: Command) -> None:
    query = "on=rtx-3090@tb3&model=qwen3-14b&context=4096&users=2&cache=q8_0"
    opened = read(client.get(f"/llm?{query}").text)
    command = opened.one("pre").text
    told = json.loads(run(*command.removeprefix("outboard ").split(), "--json").out)
    assert client.get(f"/llm.json?{query}").json() == told


@pytest.mark.parametrize("query", ["on=warp", "context=0", "users=-1", "quant=q99", "cache=f7", "model=qwem", "on=cpu"])
def test_wrong_fields_of_the_second_view_are_told(client: TestClient, query: str) -> None:
    answer = client.get(f"/llm?{query}")
    assert answer.status_code == 422
    assert query.partition("=")[0] in read(answer.text).one("h1").text
    assert client.get(f"/llm.json?{query}").json()["field"] == query.partition("=")[0]
    assert client.get(f"/llm?{query}", headers={"HX-Request": "true"}).status_code == 422


def test_this_machine_is_what_doctor_sees(client: TestClient, run: Command) -> None:
    told = json.loads(run("doctor", "--json").out)
    seen = client.get("/machine.json").json()
    assert seen["here"]["processor"] == told["here"]["processor"]
    assert seen["verdict"] == told["verdict"]
    opened = read(client.get("/machine").text)
    assert "Nothing was measured here yet" in opened.one("main").text


def test_measurements_are_shown_beside_their_forecast(client: TestClient) -> None:
    from outboard.measuring.machine import this

    store = Store()
    machine = this()
    store.save_figure(
        machine.key, machine.name, Figure("matmul.fp32", 5e10, 4e10, 6e10, "FLOP/s", 9, date="2026-11-30")
    )
    cells = {"workload": "zoo:resnet18"}
    store.save_measurement(
        JobMeasurement(machine.key, "cpu", "job", "step_time", 0.25, cells, forecast=0.3, date="2026-11-30")
    )
    text = read(client.get("/machine").text).one("main").text
    assert "matmul.fp32" in text
    assert "50 GFLOP/s" in text
    assert "zoo:resnet18" in text
    assert "20%" in text


@pytest.fixture
def kept(tmp_path: Path) -> Run:
    folder = tmp_path / "run"
    folder.mkdir()
    state = {"state": "running", "why": "", "progress": {"step": 50, "total": 200, "loss": 1.5}, "rate": 0.5}
    (folder / STATE).write_text(json.dumps(state), encoding="utf-8")
    (folder / LOG).write_text("step 49\nstep 50 <script>alert(1)</script>\n", encoding="utf-8")
    made = Run("resnet-1", "resnet", "local", "l4", "", str(folder), 1, "running", "", "2026-12-01T10:00", {}, {}, {})
    Store().add_run(made)
    return made


def test_runs_show_their_state_and_the_end_of_their_log(client: TestClient, kept: Run) -> None:
    try:
        opened = read(client.get("/runs").text)
        assert "Runs: 1, going on: 1" in opened.one("h1").text
        row = opened.one("tbody").one("tr").text
        assert "running" in row
        assert "25%" in row
        assert opened.one("div", id="answer").attributes["hx-trigger"] == "every 2s"
        one = client.get("/run/resnet-1", headers={"HX-Request": "true"})
        assert "<html" not in one.text
        assert "step 50 &lt;script&gt;" in one.text
        assert client.get("/runs.json").json()["runs"][0]["progress"]["step"] == 50
    finally:
        Store().forget_run(kept.id)


def test_a_run_elsewhere_says_how_to_see_its_log(client: TestClient) -> None:
    made = Run("far-1", "far", "ssh:box", "", "", "/x", 1, "done", "", "2026-12-01T10:00", {}, {}, {"state": "done"})
    Store().add_run(made)
    try:
        assert "outboard logs far-1" in client.get("/run/far-1").text
    finally:
        Store().forget_run("far-1")


def test_an_unknown_run_is_told(client: TestClient) -> None:
    assert client.get("/run/nothing").status_code == 422


def test_no_run_yet(client: TestClient) -> None:
    assert "No run is known" in client.get("/runs").text
