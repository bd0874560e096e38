"""How far a run is: from what the script reports, else from the lines that its trainer prints."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from pathlib import Path
from typing import Any, Callable

from outboard.keeper.folder import LOG, PROGRESS
from outboard.resuming import patterns

MOST = 1 << 20  # read at one go [B]
WINDOW = 64  # reports that the rate is taken over
LONGEST_LINE = 1 << 16


class Tail:
    """The new lines of a growing file. A carriage return ends a line too: that is how progress bars are drawn."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offset = path.stat().st_size if path.exists() else 0
        self.rest = b""

    def lines(self) -> list[str]:
        """Whole lines since the last call; nothing of a file that is not there."""
        try:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                data = file.read(MOST)
        except OSError:
            return []
        self.offset += len(data)
        *whole, self.rest = (self.rest + data).replace(b"\r", b"\n").split(b"\n")
        self.rest = self.rest[-LONGEST_LINE:]
        return [line.decode("utf-8", "replace") for line in whole if line.strip()]


class Progress:
    """Follows one attempt. ``reached`` holds step, samples, total, epoch and figures as far as they are known."""

    def __init__(self, folder: Path, asked: dict[str, Any], before: dict[str, Any]) -> None:
        said = asked.get("progress") or {}
        self.samples_per_step: float | None = asked.get("samples_per_step")
        self.reported = Tail(folder / PROGRESS)
        self.printed = Tail(folder / LOG)
        self.read: Callable[[str], dict[str, Any] | None] = patterns.reader(said.get("trainer"), said.get("pattern"))
        self.reached: dict[str, Any] = dict(before)
        self.seen: deque[tuple[float, float]] = deque(maxlen=WINDOW)
        self.moved = time.monotonic()
        self.reports = False
        self.first: float | None = None  # the least that this attempt told

    def look(self) -> bool:
        """Read what is new; whether there was anything."""
        told = [found for line in self.reported.lines() if (found := _json(line)) is not None]
        self.reports = self.reports or bool(told)
        lines = self.printed.lines()
        if not self.reports:
            told = [found for line in lines if (found := self.read(line)) is not None]
        for one in told:
            self._take(one)
        if told or lines:
            self.moved = time.monotonic()
        return bool(told)

    def rate(self) -> float | None:
        """Units of progress a second over the last reports, without the first, which holds the start."""
        points = list(self.seen)[1:] if len(self.seen) > 3 else list(self.seen)
        if len(points) < 2 or points[-1][0] <= points[0][0]:
            return None
        return (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0])

    def quiet(self) -> float:
        """Seconds without a sign of life: no report and no line."""
        return time.monotonic() - self.moved

    def _take(self, told: dict[str, Any]) -> None:
        self.reached.update({name: value for name, value in told.items() if value is not None})
        if "samples" not in told and "step" in told and self.samples_per_step:
            self.reached["samples"] = told["step"] * self.samples_per_step
        where = position(self.reached)
        self.first = where if self.first is None else min(self.first, where)
        when = told.get("time")
        self.seen.append((float(when) if isinstance(when, (int, float)) else time.time(), where))
        # A clock that was set back, or a script that began again: what came before tells no rate.
        while len(self.seen) > 1 and (self.seen[0][0] > self.seen[-1][0] or self.seen[0][1] > self.seen[-1][1]):
            self.seen.popleft()


def position(reached: dict[str, Any]) -> float:
    """How far, in samples where they are known, else in steps; 0 where nothing is."""
    for name in ("samples", "step", "epoch"):
        if isinstance(reached.get(name), (int, float)):
            return float(reached[name])
    return 0.0


def _json(line: str) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def tail(path: Path, size: int) -> str:
    """The end of a file as text."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - size))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""
