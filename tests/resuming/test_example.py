"""The example that people copy from: killed, stopped, and gone on with, it ends as if nothing had been."""

import json
import signal
import time
from pathlib import Path

import pytest

pytest.importorskip("torchdata")

from outboard.keeper import signs
from outboard.resuming import folders
from tests.resuming.conftest import Process, Start

STEPS = 100


def saved(folder: Path, step: int, process: Process) -> None:
    until = time.monotonic() + 20
    while not any(one.step >= step for one in folders.committed(folder)):
        assert time.monotonic() < until, process.said()
        time.sleep(0.002)


def test_the_example_survives(start: Start, tmp_path: Path) -> None:
    folder, progress = tmp_path / "c", tmp_path / "progress.jsonl"
    variables = {"OUTBOARD_PROGRESS_FILE": str(progress), "OUTBOARD_GENERATION": "1"}
    options = ["--steps", str(STEPS), "--every", "10", "--checkpoints"]
    killed = start("example", variables, arguments=[*options, str(folder)])
    saved(folder, 10, killed)
    killed.kill()
    assert killed.wait() == -signal.SIGKILL
    stopped = start("example", variables, arguments=[*options, str(folder)])
    saved(folder, folders.committed(folder)[0].step + 10, stopped)
    stopped.kill(signal.SIGTERM)
    assert stopped.wait() == signs.AGAIN, stopped.said()
    ended = start("example", variables, arguments=[*options, str(folder)])
    assert ended.wait() == 0, ended.said()
    whole = start("example", arguments=[*options, str(tmp_path / "whole")])
    assert whole.wait() == 0, whole.said()
    assert ended.said() == whole.said()
    assert ended.said().startswith(f"step {STEPS}, samples {STEPS * 32}, loss 0.")
    last = json.loads(progress.read_text().splitlines()[-1])
    assert (last["step"], last["samples"], last["total"]) == (STEPS, STEPS * 32, STEPS)
    assert repr(last["loss"]) in ended.said()
