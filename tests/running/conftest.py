"""A job that is really run, and the program that runs it."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from outboard.cli import main
from outboard.keeper import processes
from outboard.keeper.folder import Folder
from outboard.store import Store
from outboard.types.run import Run

PROGRAM = [sys.executable, "-c", "import sys; from outboard.cli import main; sys.exit(main())"]


class Program:
    """The command line, and what there is to see of its runs."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: object, code: int | None = 0) -> str:
        """Run it in this process; return what it prints."""
        self.capsys.readouterr()
        status = main([str(each) for each in arguments])
        printed = self.capsys.readouterr()
        self.errors = printed.err
        assert code is None or status == code, f"{status}: {printed.out}{printed.err}"
        return printed.out

    def start(self, job: Path, *arguments: str) -> str:
        """Start a run; return its id."""
        return json.loads(self("run", job, "--yes", "--json", *arguments))["runs"][0]["id"]

    def seen(self, id: str) -> dict[str, Any]:
        """As ``outboard runs`` tells it."""
        return json.loads(self("runs", id, "--json"))["runs"][0]

    def until(self, id: str, *states: str, patience: float = 90.0) -> dict[str, Any]:
        """Wait for a state."""
        until = time.monotonic() + patience
        while (seen := self.seen(id))["state"] not in states:
            assert time.monotonic() < until, f"{seen}: {self('logs', id)}"
            assert seen["state"] not in {"done", "failed", "stopped", "lost"} - set(states), f"{seen}{self('logs', id)}"
            time.sleep(0.2)
        return seen

    def step(self, id: str, at_least: int, patience: float = 60.0) -> None:
        """Wait until it is so far."""
        until = time.monotonic() + patience
        while (self.seen(id)["measured"]["step"] or 0) < at_least:
            assert time.monotonic() < until, self("logs", id)
            time.sleep(0.1)

    def run(self, id: str) -> Run:
        """As the store has it."""
        return next(one for one in Store().runs() if one.id == id)

    def folder(self, id: str) -> Folder:
        """Its folder, where it is on this machine."""
        return Folder(self.run(id).folder)


@pytest.fixture
def outboard(
    capsys: pytest.CaptureFixture[str], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Program]:
    """The program with a store of its own. Nothing of its runs outlives the test."""
    monkeypatch.setenv("OUTBOARD_REMOTE_DIR", str(tmp_path / "remote"))
    monkeypatch.setenv("LANGUAGE", "en")
    monkeypatch.chdir(tmp_path)
    yield Program(capsys)
    for run in Store().runs():
        folder = Folder(run.folder)
        if folder.path.is_dir():
            folder.ask_to_stop("now")
            until = time.monotonic() + 20.0
            while folder.kept() and time.monotonic() < until:
                time.sleep(0.05)
            assert not folder.kept()
            assert not processes.leftovers(run.folder), "nothing is left running"


@pytest.fixture
def job(workdir: Path) -> Callable[..., Path]:
    """Writes a job file beside the script."""

    def write(**said: Any) -> Path:
        run = {
            "command": "python3 train.py",
            "checkpoints": "checkpoints",
            "outputs": ["results"],
            "files": ["train.py"],
            "grace": "10 s",
            "slurm": {"memory": "100 MB", "cpus": 1, "notice": "5 s", "gres": "gpu:1"},
            **said.pop("run", {}),
        }
        variables = {name: str(value) for name, value in said.pop("variables", {}).items()}
        top = {"name": "tiny", "workload": "zoo:resnet18", "task": "train", "batch_size": 4, **said}
        top |= {"data": {"samples": 80, "epochs": 1}, "run": {**run, "variables": variables}}
        path = workdir / "job.yaml"
        path.write_text(yaml.safe_dump(top))
        return path

    return write


@pytest.fixture
def same(workdir: Path, expected: dict[str, object]) -> Callable[[], None]:
    """Fails unless the model is the one of an uninterrupted run, after as many samples in the same order."""

    def check() -> None:
        assert json.loads((workdir / "results" / "final.json").read_text()) == expected
        shutil.rmtree(workdir / "results")

    return check


def apart(*arguments: str) -> "subprocess.Popen[bytes]":
    """The program in a process of its own."""
    return subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
