"""Checkpoints of the run: the script's own, found in their folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from outboard.keeper.folder import Folder
from outboard.resuming import found


class Saved(NamedTuple):
    """The newest good checkpoint, and how far it is: in samples, else in steps, else in seconds of its date."""

    path: str
    reached: float
    step: int | None
    samples: int | None


def newest(asked: dict[str, Any], folder: Folder | None = None) -> Saved | None:
    """Return the newest whole checkpoint; torn ones are passed over, and noted in ``folder``'s events."""
    where = asked.get("checkpoints")
    if not where or not Path(where).is_dir():
        return None
    for one in found.checkpoints(where):
        if one.complete:
            reached = next((float(each) for each in (one.samples, one.step) if each is not None), None)
            return Saved(str(one.path), _date(one.path) if reached is None else reached, one.step, one.samples)
        if folder is not None:
            folder.event("torn checkpoint passed over", path=str(one.path), why=one.why_not)
    return None


def _date(path: Path | str) -> float:
    try:
        return Path(path).stat().st_mtime
    except OSError:
        return 0.0
