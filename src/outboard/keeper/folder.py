"""The folder of a run: what is asked, what is so, what happened. Every write is whole or not at all."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from pathlib import Path
from typing import Any, Iterator

ASKED = "run.json"  # what to run; written by Outboard, read by the keeper
STATE = "state.json"  # how it is; written by the keeper
EVENTS = "events.jsonl"  # what happened, one line each
LOG = "log.txt"  # what the command printed
PROGRESS = "progress.jsonl"  # what the script reported
STOP = "stop"  # a wish to stop: "save" or "now"
LOCK = "lock"  # held by the keeper as long as it lives, and released by the kernel when it is killed
ONLY_OWNER = 0o600


class Folder:
    """Reads and writes the files of one run."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def asked(self) -> dict[str, Any]:
        """What to run."""
        return json.loads((self.path / ASKED).read_text(encoding="utf-8"))

    def state(self) -> dict[str, Any]:
        """How the run is; nothing before the keeper's first word."""
        try:
            return json.loads((self.path / STATE).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}

    def write_state(self, state: dict[str, Any]) -> None:
        """Replace the state. A disk without room keeps the old one: the run matters more than its description."""
        with contextlib.suppress(OSError):
            replace(self.path / STATE, json.dumps(state, sort_keys=True))

    def event(self, kind: str, **details: Any) -> None:
        """Note what happened."""
        line = json.dumps({"time": time.time(), "event": kind, **details}, sort_keys=True) + "\n"
        with contextlib.suppress(OSError):
            append(self.path / EVENTS, line.encode())

    def events(self) -> list[dict[str, Any]]:
        """Everything that happened, oldest first; a line cut short by a full disk is left out."""
        try:
            lines = (self.path / EVENTS).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        found = []
        for line in lines:
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return found

    def wish(self) -> str | None:
        """``save`` or ``now`` where someone wants it to stop."""
        try:
            return (self.path / STOP).read_text(encoding="utf-8").strip() or "save"
        except FileNotFoundError:
            return None

    def ask_to_stop(self, how: str) -> None:
        """Leave the wish; the keeper reads it within a second."""
        replace(self.path / STOP, how)

    def forget_wish(self) -> None:
        """Take the wish back, as a new start does."""
        with contextlib.suppress(FileNotFoundError):
            (self.path / STOP).unlink()

    @contextlib.contextmanager
    def held(self) -> Iterator[bool]:
        """Be the only keeper of this folder, or learn that another one is (False)."""
        opened = os.open(str(self.path / LOCK), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, ONLY_OWNER)
        try:
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True
        finally:
            os.close(opened)

    def kept(self) -> bool:
        """Whether a keeper lives. Asked of the kernel, not of the clock: a jump of the clock kills nobody."""
        if not (self.path / LOCK).exists():
            return False
        with self.held() as mine:
            return not mine


def replace(path: Path, text: str) -> None:
    """Write a file whole: beside it, flushed, then in its place."""
    beside = path.with_name("." + path.name + ".new")
    opened = os.open(str(beside), os.O_CREAT | os.O_WRONLY | os.O_TRUNC, ONLY_OWNER)
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(str(beside), str(path))


def append(path: Path, data: bytes) -> None:
    """Add to a file in one write, so that two writers never mix."""
    opened = os.open(str(path), os.O_CREAT | os.O_WRONLY | os.O_APPEND, ONLY_OWNER)
    try:
        os.write(opened, data)
    finally:
        os.close(opened)
