"""``outboard run`` and its relatives, on real runs of a small script."""

import json

import pytest

from outboard.store import Store
from tests.running.conftest import Program

SLOW = {"EACH": "0.15"}


def test_says_what_it_takes_runs_and_learns(outboard, job, same):
    path = job()
    text = outboard("run", path, "--on", "local", "--price", "0.40 EUR/h", "--yes", "--wait")
    assert "tiny goes to local (cpu)." in text
    assert "Takes about" in text
    assert "costs about" in text
    assert "Fits: needs" in text
    assert "done" in text
    same()
    kept = [one for one in Store().measurements() if one.quantity == "step_time"]
    assert len(kept) == 1
    assert kept[0].forecast is not None
    outboard("estimate", "zoo:resnet18", "--task", "train", "--batch", "4", "--on", "cpu")
    assert "step time measured here" in outboard.errors


def test_a_run_at_a_named_place_serves_the_next_forecast_and_the_plan(outboard, job, same, sshd):
    path = job()
    outboard("run", path, "--on", "ssh:box=rtx-3060-12gb@tb3", "--yes", "--wait")
    same()
    options = ("--task", "train", "--batch", "4", "--on", "rtx-3060-12gb@tb3", "--json")
    found = json.loads(outboard("estimate", "zoo:resnet18", *options))
    assert any("measured in a run at this place" in text for text in found["warnings"])
    seen = outboard.seen(json.loads(outboard("runs", "--json"))["runs"][0]["id"])
    assert found["throughput"]["value"] == pytest.approx(seen["measured"]["rate"], rel=0.01)
    me = path.parent / "me.yaml"
    me.write_text("owned: [{device: rtx-3060-12gb, link: tb3, ssh: box}]\n")
    plan = json.loads(outboard("plan", path, "--situation", me, "--json", code=None))
    owned = [place for place in plan["places"] if place["kind"] == "owned"]
    assert any("as measured in a run there" in note for note in owned[0]["notes"])


def test_prints_exactly_what_would_run_and_starts_nothing(outboard, job):
    text = outboard("run", job(), "--on", "local", "--dry-run")
    assert text.endswith("python3 train.py\n")
    assert json.loads(outboard("runs", "--json")) == {"runs": []}
    told = json.loads(outboard("run", job(), "--on", "local", "--dry-run", "--json"))
    assert told["runs"][0]["script"] == text.rstrip("\n") + "\n"


def test_asks_before_it_starts(outboard, job):
    outboard("run", job(), "--on", "local", code=2)
    assert "--yes" in outboard.errors
    assert json.loads(outboard("runs", "--json")) == {"runs": []}


def test_a_budget_needs_a_price_and_stops_the_run(outboard, job):
    path = job(variables=SLOW)
    outboard("run", path, "--on", "local", "--budget", "1 EUR", "--yes", code=2)
    assert "--price" in outboard.errors
    id = outboard.start(path, "--on", "local", "--budget", "0.001 USD", "--price", "3.6 USD/h")
    seen = outboard.until(id, "stopped")
    assert seen["why"] == "the budget is used up"
    assert 0.0005 < seen["measured"]["cost_usd"] < 0.01


def test_progress_cost_and_forecast_are_told_while_it_runs(outboard, job):
    id = outboard.start(job(variables={"EACH": "0.4"}), "--on", "local", "--price", "1 USD/h")
    outboard.step(id, 4)
    seen = outboard.seen(id)
    assert 0.15 <= seen["measured"]["share"] < 1.0
    assert seen["measured"]["left_seconds"][1] > 0.5
    assert seen["measured"]["cost_usd"] > 0
    assert seen["forecast"]["rate"][0] > 0
    text = outboard("runs")
    assert "running" in text
    assert "%" in text
    assert id in outboard("runs", "--lang", "es")
    outboard("stop", id, "--now")
    outboard.until(id, "stopped")


def test_one_folder_takes_one_run_at_a_time(outboard, job):
    path = job(variables={"EACH": "1"})
    id = outboard.start(path, "--on", "local")
    outboard("run", path, "--on", "local", "--yes", code=2)
    assert f"{id} works in" in outboard.errors
    outboard("stop", id, "--now")
    outboard.until(id, "stopped")


def test_a_second_run_says_that_it_goes_on_from_the_first(outboard, job):
    path = job()
    outboard.until(outboard.start(path, "--on", "local"), "done")
    assert "Goes on from checkpoints/step-00000020.pt" in outboard("run", path, "--on", "local", "--yes", "--wait")


def test_doing_nothing_is_a_failure(outboard, job, workdir):
    path = job(run={"command": "true", "tries": 2})
    outboard("run", path, "--on", "local", "--yes", "--wait", code=1)
    assert "nothing was computed" in outboard("runs")


def test_waiting_returns_the_jobs_own_status(outboard, job):
    outboard("run", job(run={"command": "exit 7", "tries": 1}), "--on", "local", "--yes", "--wait", code=7)


def test_logs_stop_resume_and_forget(outboard, job, same):
    id = outboard.start(job(variables=SLOW), "--on", "local")
    outboard.step(id, 3)
    assert "save and end" in outboard("stop", "tiny")
    outboard.until(id, "stopped")
    outboard("stop", id, code=2)
    assert "goes on at local" in outboard("resume", id)
    outboard("resume", id, code=2)
    text = outboard("logs", id, "-f")
    assert text.count("begins at step") == 2
    assert outboard("logs", id, "--lines", "1").count("\n") == 1
    same()
    assert "is done" in _error(outboard, "resume", id)
    folder = outboard.folder(id).path
    outboard("runs", "--forget", id)
    assert not folder.exists()
    assert "unknown run" in _error(outboard, "logs", id)


def _error(outboard: Program, *arguments: str) -> str:
    outboard(*arguments, code=2)
    return outboard.errors


def test_a_rehearsal_says_go(outboard, job, workdir):
    text = outboard("run", job(variables={"EACH": "0.1", "TOTAL": "2000"}), "--on", "slurm", "--rehearse")
    assert text.startswith("Go: tiny")
    assert "✓ goes on from its checkpoint after SIGKILL" in text
    assert not (workdir / "checkpoints").exists(), "it played in a folder of its own"


def test_a_rehearsal_says_no_to_a_script_that_forgets(outboard, job, workdir):
    script = (workdir / "train.py").read_text()
    (workdir / "train.py").write_text(script.replace('os.environ.get("OUTBOARD_RESUME_FROM")', "None"))
    path = job(variables={"EACH": "0.1", "TOTAL": "2000"})
    text = outboard("run", path, "--on", "local", "--rehearse", code=1)
    assert text.startswith("No: tiny")
    assert "began at" in text


def test_a_rehearsal_says_no_to_a_script_that_fails(outboard, job):
    path = job(run={"command": "python3 absent.py", "tries": 1})
    text = outboard("run", path, "--on", "local", "--rehearse", code=1)
    assert "no whole checkpoint" in text
    assert "absent.py" in text


@pytest.mark.parametrize(
    ("run", "wanted"),
    [
        ({"grace": "soon"}, "run.grace"),
        ({"files": ["../secret"]}, "leads out of the working folder"),
        ({"workdir": "absent"}, "run.workdir"),
        ({"progress": {"pattern": "("}}, "run.progress.pattern"),
        ({"progress": {"pattern": "step"}}, "has a name"),
        ({"environment": {"pip": "a.txt", "uv": "b.toml"}}, "contradict"),
        ({"secrets": ["NOBODY_HAS_SET_THIS"]}, "export NOBODY_HAS_SET_THIS"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_bad_input_gets_one_line(outboard, job, run, wanted):
    outboard("run", job(run=run), "--on", "local", "--yes", code=2)
    assert wanted in outboard.errors
    assert outboard.errors.count("\n") == 1


@pytest.mark.parametrize("on", ["ssh", "local:host", "moon", "ssh:-oProxyCommand=x", "sky"])
def test_a_wrong_place_gets_one_line(outboard, job, on):
    outboard("run", job(), "--on", on, "--yes", code=2)
    assert outboard.errors.startswith("error: ")


def test_an_unknown_host_key_is_refused(outboard, job, sshd):
    known = (sshd.folder / "known").read_text()
    try:
        (sshd.folder / "known").write_text("")
        outboard("run", job(), "--on", "ssh:box", "--yes", code=3)
        assert "accept its key" in outboard.errors
    finally:
        (sshd.folder / "known").write_text(known)
