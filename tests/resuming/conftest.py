"""Processes that can be killed."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

NURSERY = Path(__file__).parent / "nursery.py"
LONGEST = 60.0  # of one process [s]
Start = Callable[..., "Process"]


class Process:
    """A running script."""

    def __init__(self, ask: Callable[[dict[str, Any]], int], pid: int, out: Path) -> None:
        self._ask, self.pid, self.out = ask, pid, out
        self.code: int | None = None

    def kill(self, number: int = signal.SIGKILL) -> None:
        os.kill(self.pid, number)

    def wait(self) -> int:
        """Its exit code, negative for a signal."""
        if self.code is None:
            # What hangs is killed, so that a test fails and does not hang too.
            limit = threading.Timer(LONGEST, self.kill)
            limit.start()
            self.code = self._ask({"wait": self.pid})
            limit.cancel()
        return self.code

    def said(self) -> str:
        return self.out.read_text()


@pytest.fixture(scope="session")
def nursery() -> Iterator[Callable[[dict[str, Any]], int]]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OUTBOARD_")}
    with subprocess.Popen(
        [sys.executable, str(NURSERY)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=plain
    ) as made:
        assert made.stdin is not None and made.stdout is not None
        into, out_of = made.stdin, made.stdout

        def ask(wish: dict[str, Any]) -> int:
            into.write(json.dumps(wish) + "\n")
            into.flush()
            return int(out_of.readline())

        yield ask
        into.close()


@pytest.fixture
def start(nursery: Callable[[dict[str, Any]], int], tmp_path: Path) -> Iterator[Start]:
    """``start("train", {"OUTBOARD_GENERATION": "1"}, folder=..., steps=...)`` begins a script of ``scripts.py``."""
    begun: list[Process] = []

    def begin(name: str, variables: dict[str, str] | None = None, **arguments: Any) -> Process:
        out = tmp_path / f"out-{len(begun)}.txt"
        plain = {key: str(each) if isinstance(each, Path) else each for key, each in arguments.items()}
        wish = {"start": name, "arguments": plain, "variables": variables or {}, "out": str(out)}
        begun.append(Process(nursery, nursery(wish), out))
        return begun[-1]

    yield begin
    for each in begun:
        if each.code is None:
            each.kill()
            each.wait()


@pytest.fixture(autouse=True)
def outside_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*os.environ]:
        if name.startswith("OUTBOARD_") or name in ("RANK", "WORLD_SIZE"):
            monkeypatch.delenv(name)
