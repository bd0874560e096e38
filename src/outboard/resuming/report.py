"""``outboard.report``: how far a run is, told by the script itself, one line at a time."""

from __future__ import annotations

import contextlib
import json
import math
import os
import time
from typing import Any

FILE = "OUTBOARD_PROGRESS_FILE"
ONLY_OWNER = 0o600
_torn = False  # whether the last line went into the file only in part


def report(*, step: int, samples: int | None = None, **figures: Any) -> None:
    """Tell the run how far it is; costs some microseconds, and nothing outside a run.

    ::

        outboard.report(step=step, samples=samples, loss=loss)

    ``step`` counts the optimizer's steps and ``samples`` what was learnt from, both since the beginning of the
    training. ``figures`` are numbers, also as tensors of one element, which are brought to the host; ``total`` (steps)
    and ``epoch`` are known by name. A figure that is not finite is named under ``not_finite``. Only the process of rank
    0 writes, and a full disk is borne in silence: the training matters more. Raises :class:`UsageError` for what is no
    number.
    """
    path = os.environ.get(FILE)
    if not path or os.environ.get("RANK", "0") != "0":
        return
    told: dict[str, Any] = {"time": time.time(), "step": _count("step", step)}
    if samples is not None:
        told["samples"] = _count("samples", samples)
    strange = []
    for name, value in figures.items():
        number = _number(name, value)
        if math.isfinite(number):
            told[name] = number
        else:
            strange.append(name)
    if strange:
        told["not_finite"] = strange
    _append(path, json.dumps(told) + "\n")


def _append(path: str, line: str) -> None:
    """One write, so that lines of two writers never mix; after a line that was cut short, begin a new one."""
    global _torn
    data = ("\n" + line if _torn else line).encode()
    with contextlib.suppress(OSError):
        opened = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, ONLY_OWNER)
        try:
            written = os.write(opened, data)
            _torn = written < len(data)
        finally:
            os.close(opened)


def _count(name: str, value: Any) -> int:
    number = _number(name, value)
    if not math.isfinite(number) or number < 0 or number != int(number):
        raise _wrong(name, value)
    return int(number)


def _number(name: str, value: Any) -> int | float:
    """A plain number of whatever holds one: Python's own, numpy's, or a tensor of one element."""
    if isinstance(value, (str, bytes)):
        raise _wrong(name, value)
    item = getattr(value, "item", None)
    try:
        found = item() if item is not None else value
        return int(found) if isinstance(found, int) else float(found)
    except (TypeError, ValueError, RuntimeError) as error:  # torch says RuntimeError of more than one element
        raise _wrong(name, value) from error


def _wrong(name: str, value: Any) -> Exception:
    from outboard.errors import UsageError
    from outboard.i18n import _

    wanted = _("a whole number from 0") if name in ("step", "samples") else _("a number")
    text = _("report: {name} has to be {wanted}, not {value}")
    return UsageError(text.format(name=name, wanted=wanted, value=repr(value)[:80]))
