"""Runs as people read them: state, progress, what is left, what it cost, and forecast against measured."""

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from outboard.cli import output
from outboard.cli.render.numbers import plain, prose
from outboard.i18n import _
from outboard.planner.words import amount, duration
from outboard.running.progress import Progress, progress

if TYPE_CHECKING:
    from outboard.types.run import Run


def state_word(name: str) -> str:
    """A state in the language in use."""
    return {
        "prepared": _("prepared"),
        "queued": _("queued"),
        "starting": _("starting"),
        "running": _("running"),
        "waiting": _("waiting"),
        "requeue": _("requeued"),
        "done": _("done"),
        "failed": _("failed"),
        "stopped": _("stopped"),
        "lost": _("GPU lost"),
        "dead": _("dead"),
        "unreachable": _("unreachable"),
        "moved": _("moved"),
    }.get(name, name)


def table(runs: "Sequence[Run]", hidden: int = 0) -> None:
    """One line for each run; why it is so below those that need a word."""
    from rich.table import Table

    if not runs:
        output.write(_("No runs yet; start one with: outboard run JOB.yaml"))
        return
    drawn = Table(box=None, pad_edge=False)
    for title in (_("run"), _("state"), _("where"), _("progress"), _("left"), _("rate"), _("forecast"), _("cost")):
        drawn.add_column(title, justify="left" if title in (_("run"), _("state"), _("where")) else "right")
    for run in runs:
        drawn.add_row(*_cells(run))
    notes = [f"{run.id}: {run.why}" for run in runs if run.why and run.state not in ("running", "done", "starting")]
    parts = [drawn, *notes]
    if hidden:
        parts.append(_("{count} older runs are not shown; --all lists them.").format(count=hidden))
    output.show(*parts)


def _cells(run: "Run") -> list[str]:
    now = progress(run)
    off = now.off
    return [
        run.id,
        state_word(run.state),
        run.where + (f" ({run.place})" if run.place else ""),
        _progress(now),
        prose(_left(now)),
        f"{plain(now.rate)}/s" if now.rate else "",
        "" if off is None else f"{off:+.0%}",
        prose(_cost(now)),
    ]


def _progress(now: Progress) -> str:
    if now.share is not None:
        return f"{now.share:.0%}"
    reached = now.samples if now.samples is not None else now.step
    return "" if reached is None else f"{reached:.0f}"


def _left(now: Progress) -> str:
    if now.left is None:
        return ""
    low, middle, high = now.left
    if duration(low) == duration(high):
        return duration(middle)
    return _("{middle} ({low} to {high})").format(middle=duration(middle), low=duration(low), high=duration(high))


def _cost(now: Progress) -> str:
    if now.cost is None:
        return ""
    if now.forecast_cost is None:
        return amount(now.cost)
    return _("{cost} of {forecast}").format(cost=amount(now.cost), forecast=amount(now.forecast_cost))


def document(run: "Run") -> dict[str, Any]:
    """For JSON: SI units, null where unknown."""
    now = progress(run)
    left = None if now.left is None else [3600.0 * hours for hours in now.left]
    said = {name: getattr(run, name) for name in ("id", "name", "state", "why", "where", "place", "created")}
    said |= {"reference": run.reference, "folder": run.folder, "generation": run.generation}
    measured = {"samples": now.samples, "step": now.step, "total_samples": now.total, "share": now.share}
    measured |= {"rate": now.rate, "seconds": run.told.get("seconds"), "left_seconds": left, "cost_usd": now.cost}
    measured |= {"peaks": run.told.get("peaks"), "checkpoint": run.told.get("checkpoint"), "code": run.told.get("code")}
    forecast = {key: value for key, value in run.forecast.items() if key not in ("launch", "learnt_as", "spent")}
    return finite({**said, "measured": measured, "forecast": forecast, "fallback": list(run.fallback)})


def finite(value: Any) -> Any:
    """The same without numbers that JSON does not have."""
    if isinstance(value, dict):
        return {name: finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Line:
    """One line on the terminal that follows a run; a line at each change of state where nobody looks on."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.drawn = False
        self.state = ""

    def show(self, run: "Run") -> None:
        """Say how it is now."""
        if self.quiet:
            return
        text = self._text(run)
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
            self.drawn = True
        elif run.state != self.state:
            print(text, file=sys.stderr, flush=True)
        self.state = run.state

    def done(self) -> None:
        """End the line."""
        if self.drawn:
            print(file=sys.stderr)

    def _text(self, run: "Run") -> str:
        now = progress(run)
        parts = [run.id, state_word(run.state), _progress(now), _left(now), run.why]
        return prose("  ".join(part for part in parts if part))
