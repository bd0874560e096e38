"""What to do after an attempt: pure, so that every case can be read in its tests."""

from __future__ import annotations

from typing import Any, NamedTuple

from outboard.keeper.signs import AGAIN, Failure

SHORTEST = 1.0  # first wait before starting again [s]
LONGEST = 60.0


class Ended(NamedTuple):
    """How an attempt ended. ``saved`` is the progress of its newest good checkpoint, before it and after it."""

    code: int
    asked: str | None  # "save" or "now" by a person, "time" by a scheduler, "budget"; None: nobody
    failure: Failure | None
    saved_before: float
    saved_after: float


class Step(NamedTuple):
    """What happens next: ``done``, ``again`` (here, after ``wait`` seconds), ``requeue``, ``stopped`` or ``failed``."""

    to: str
    why: str = ""
    wait: float = 0.0


def decide(ended: Ended, earlier: list[dict[str, Any]], allowed: int) -> Step:
    """Return the next step; ``earlier`` are the failures since the last progress, the newest last."""
    if ended.asked == "time":
        return Step("requeue", "its time here is up")
    if ended.asked is not None:
        return Step("stopped", "the budget is used up" if ended.asked == "budget" else "as asked")
    if ended.failure is None:
        return Step("again", "it asked to be started again") if ended.code == AGAIN else Step("done")
    same = 1 + _same(ended, earlier)
    if same >= allowed:
        times = f"{same} times the same" if same > 1 else "once, and no second try is allowed"
        return Step("failed", f"{times}: {ended.failure.text}")
    return Step("again", ended.failure.text, min(LONGEST, SHORTEST * 2.0 ** (same - 1)))


def forget(ended: Ended, earlier: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The failures that still count: none of those before a checkpoint that got further."""
    kept = [] if ended.saved_after > ended.saved_before else list(earlier)
    if ended.failure is not None and ended.asked is None:
        kept.append(ended.failure._asdict())
    return kept


def _same(ended: Ended, earlier: list[dict[str, Any]]) -> int:
    """How often it failed this way in a row, with no checkpoint in between that got further."""
    if ended.saved_after > ended.saved_before or ended.failure is None:
        return 0
    count = 0
    for one in reversed(earlier):
        if one["sign"] != ended.failure.sign:
            break
        count += 1
    return count
