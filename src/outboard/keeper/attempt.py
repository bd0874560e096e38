"""One attempt: the command from its start to its last process."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import Any, Callable, NamedTuple

from outboard.keeper import processes, resources
from outboard.keeper.asks import Asks
from outboard.keeper.folder import LOG, ONLY_OWNER, PROGRESS
from outboard.keeper.reports import Progress
from outboard.keeper.rest import rest

POLL = 0.2  # [s]
TELL = 2.0  # how often the state is written at least [s]
MEASURE = 10.0  # how often memory is looked at, after a first look at once [s]


class Result(NamedTuple):
    """What came of it: the exit code (negative: a signal), who asked it to stop, and whether it hung."""

    code: int
    asked: str | None
    hung: bool


def variables(asked: dict[str, Any], folder: Path, generation: int, checkpoint: str) -> dict[str, str]:
    """The environment of the command: the keeper's own, what the job names, and what the script may use."""
    found = dict(os.environ)
    found.update(asked.get("variables") or {})
    found.update(
        {
            processes.MARK: str(folder),
            "OUTBOARD_RUN": asked["id"],
            "OUTBOARD_GENERATION": str(generation),
            "OUTBOARD_PROGRESS_FILE": str(folder / PROGRESS),
            "OUTBOARD_RESUME_FROM": checkpoint,
            "PYTHONUNBUFFERED": "1",
        }
    )
    if asked.get("checkpoints"):
        found["OUTBOARD_CHECKPOINT_DIR"] = asked["checkpoints"]
    return found


class Attempt:
    """Runs the command once and watches over it."""

    def __init__(self, folder: Path, asked: dict[str, Any], asks: Asks, progress: Progress) -> None:
        self.folder = folder
        self.asked = asked
        self.asks = asks
        self.progress = progress
        self.usage = resources.Usage()

    def run(self, command: list[str], environment: dict[str, str], tell: Callable[[], None]) -> Result:
        """Start, watch, end; whatever the command left running is ended too."""
        # The script adds to the file of its progress; whoever creates a file decides who reads it.
        os.close(os.open(str(self.folder / PROGRESS), os.O_CREAT | os.O_WRONLY | os.O_APPEND, ONLY_OWNER))
        output = os.open(str(self.folder / LOG), os.O_CREAT | os.O_WRONLY | os.O_APPEND, ONLY_OWNER)
        try:
            child = processes.start(command, self.asked["workdir"], environment, output)
        finally:
            os.close(output)
        try:
            result = self._watch(child, tell)
        finally:
            processes.end([*processes.descendants(os.getpid()), *processes.leftovers(str(self.folder))])
            if child.poll() is None:
                child.kill()
                child.wait()
        self.progress.look()
        return result

    def _watch(self, child: Any, tell: Callable[[], None]) -> Result:
        told, measured, stopping = 0.0, 0.0, None
        hang: float = self.asked.get("hang") or float("inf")
        while child.poll() is None:
            now = time.monotonic()
            moved = self.progress.look()
            if now - measured > MEASURE or not measured:
                self.usage.look([child.pid, *processes.descendants(child.pid)])
                measured = now
            if moved or now - told > TELL:
                tell()
                told = now
            how = self.asks.look()
            if how is not None and stopping is None:
                stopping = now
                self._ask(child.pid)
            if how == "now" or (stopping is not None and now - stopping > self._grace()):
                return Result(self._kill(child), how, False)
            if stopping is None and self.progress.quiet() > hang:
                self._kill(child)
                return Result(-signal.SIGKILL, None, True)
            rest(POLL)
        return Result(child.returncode, self.asks.look() if stopping is not None else None, False)

    def _grace(self) -> float:
        return float(self.asked.get("grace") or 60.0)

    def _ask(self, pid: int) -> None:
        """Tell the whole group to save and end: the shell around the command waits for it."""
        number = getattr(signal, "SIG" + (self.asked.get("stop_signal") or "TERM"))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, number)

    def _kill(self, child: Any) -> int:
        processes.end([child.pid, *processes.descendants(child.pid)])
        return int(child.wait())
