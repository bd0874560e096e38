"""Proves before anything is paid that a job starts, saves, survives being killed, and goes on where it was.

The job's own files are copied into a folder of their own and started here, with no second copy of its settings: what is
rehearsed is the command, the checkpoints and the reading of progress that the real run will use.
"""

import contextlib
import json
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from outboard.errors import OutsideError
from outboard.executors.local import Local
from outboard.executors.shell import Here
from outboard.executors.ssh import send
from outboard.i18n import _
from outboard.keeper import processes
from outboard.keeper.folder import PROGRESS, Folder
from outboard.keeper.reports import tail
from outboard.resuming import found
from outboard.running.start import Prepared
from outboard.types.run import OVER, Launch
from outboard.units import format_bytes

POLL = 0.1  # [s]
PATIENCE = 600.0  # for the first checkpoint, and again for progress after the kill [s]
LONGEST = 1 << 20  # of the reports that are read [B]
HOW_FAR = {"step", "samples"}
STEPS = 3  # reports that must come after the kill
SLACK = 1.05  # a measured peak above the forecast by more is told as a failure [1]
Verdict = Literal["ok", "no", "unknown"]
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Check:
    """One thing that was tried."""

    name: str
    verdict: Verdict
    text: str


@dataclass(frozen=True)
class Rehearsal:
    """What came of it: ``go`` where nothing that was tried failed."""

    checks: tuple[Check, ...]
    measured: dict[str, Any]

    @property
    def go(self) -> bool:
        """Whether the job may be started for money."""
        return all(check.verdict != "no" for check in self.checks)


def rehearse(made: Prepared, patience: float = PATIENCE, tell: Tell = lambda text: None) -> Rehearsal:
    """Start, wait for a checkpoint, kill, see it go on, stop it; leave nothing behind."""
    with _stage(made.launch) as (executor, launch):
        play = _Play(executor, launch, patience, tell)
        try:
            checks = tuple(play.acts())
        finally:
            play.end()
        return Rehearsal((*checks, *_figures(made, play.state())), play.measured())


@contextmanager
def _stage(launch: Launch) -> Iterator[tuple[Local, Launch]]:
    """A copy of what the job names, and a place of its own for the run; both are removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="outboard-rehearsal-") as folder:
        work = Path(folder) / "work"
        fresh = replace(launch, generation=2)  # its own older checkpoints and outputs stay out of it
        send(Here(), fresh, str(work))
        variables = {**launch.section.variables, "OUTBOARD_REHEARSAL": "1"}
        section = launch.section.model_copy(update={"variables": variables, "notify": ""})
        staged = replace(launch, section=section, workdir=work, budget_seconds=None)
        yield Local(str(Path(folder) / "runs")), staged


class _Play:
    def __init__(self, executor: Local, launch: Launch, patience: float, tell: Tell) -> None:
        self.executor, self.launch, self.patience, self.tell = executor, launch, patience, tell
        self.folder = ""

    def acts(self) -> Iterator[Check]:
        """One after the other; the first that fails ends the play."""
        said = self.launch.section
        if said.checkpoints is None:
            text = _("run.checkpoints is not said: nothing could be carried on after a failure")
            yield Check("checkpoint", "no", text)
            return
        self.folder = self.executor.prepare(self.launch)
        self.executor.start(self.launch, self.folder)
        self.tell(_("started; waiting for its first checkpoint"))
        saved = self._until(self._saved)
        if saved is None:
            yield Check("checkpoint", "no", self._why(_("no whole checkpoint appeared in {folder}")))
            return
        yield Check("checkpoint", "ok", _("saves whole checkpoints: {name}").format(name=Path(saved.path).name))
        yield self._progress()
        if not self._kill():
            yield Check("resume", "unknown", _("it ended before it could be killed; give it more to do"))
            return
        self.tell(_("killed with SIGKILL; waiting for it to go on"))
        yield self._resumes()

    def _progress(self) -> Check:
        if self._until(lambda: self.state().get("progress") or None, min(self.patience, 10.0)):
            return Check("progress", "ok", _("tells its progress"))
        text = _("tells no progress: there will be no ETA; call outboard.report or say run.progress")
        return Check("progress", "unknown", text)

    def _kill(self) -> bool:
        pids = processes.leftovers(self.folder)
        for pid in pids:
            processes.send(pid, signal.SIGKILL)
        return bool(pids)

    def _resumes(self) -> Check:
        """The second attempt begins at the newest whole checkpoint, not at nothing."""
        newest = self._saved()
        if self._until(lambda: self.state().get("attempt", 1) > 1 or None) is None:
            return Check("resume", "no", self._why(_("did not start again after SIGKILL")))
        first = self._until(self._onward)
        if first is None:
            return Check("resume", "no", self._why(_("did nothing after it was started again")))
        begun, base = _compared(first, newest)
        if begun < base:
            text = _("began at {first:.0f} again, though its checkpoint holds {base:.0f}: does it read {variable}?")
            said = text.format(first=begun, base=base, variable="OUTBOARD_RESUME_FROM")
            return Check("resume", "no", said)
        return Check("resume", "ok", _("goes on from its checkpoint after SIGKILL"))

    def _onward(self) -> dict[str, float] | None:
        """The first report of this attempt, once several or a new checkpoint show that it works; {} without reports."""
        told = [report for report in self._reports() if report["time"] >= self._restarted()]
        if len(told) >= STEPS:
            return told[0]
        newest, known = self._saved(), self.state().get("checkpoint")
        return {} if newest is not None and known is not None and newest.path != known.get("path") else None

    def _restarted(self) -> float:
        ended = [event["time"] for event in Folder(self.folder).events() if event["event"] == "ended"]
        return ended[0] if ended else float("inf")

    def _reports(self) -> list[dict[str, float]]:
        found_: list[dict[str, float]] = []
        for line in tail(Path(self.folder) / PROGRESS, LONGEST).splitlines():
            with contextlib.suppress(ValueError, KeyError, TypeError):
                told = json.loads(line)
                found_.append(
                    {"time": float(told["time"]), **{name: float(told[name]) for name in HOW_FAR & set(told)}}
                )
        return found_

    def _saved(self) -> found.Found | None:
        where = self.launch.workdir / str(self.launch.section.checkpoints)
        return next((one for one in found.checkpoints(where) if one.complete), None)

    def _until(self, what: Callable[[], Any], patience: float | None = None) -> Any:
        until = time.monotonic() + (patience or self.patience)
        while time.monotonic() < until:
            if (seen := what()) is not None:
                return seen
            if self.executor.see(self.folder, "").state in OVER:
                return what()
            time.sleep(POLL)
        return None

    def _why(self, text: str) -> str:
        said = text.format(folder=self.launch.section.checkpoints)
        failures = self.state().get("failures") or []
        last = failures[-1]["text"] if failures else self.state().get("why", "")
        return f"{said}: {last}" if last else said

    def state(self) -> dict[str, Any]:
        """What its keeper says."""
        return Folder(self.folder).state() if self.folder else {}

    def measured(self) -> dict[str, Any]:
        """Rate and peaks as they were seen."""
        state = self.state()
        return {"rate": state.get("rate"), **(state.get("peaks") or {})}

    def end(self) -> None:
        """Stop it, and wait until nothing of it runs."""
        if not self.folder:
            return
        self.executor.stop(self.folder, "", now=True)
        until = time.monotonic() + 30.0
        while Folder(self.folder).kept() and time.monotonic() < until:
            time.sleep(POLL)
        left = [pid for pid in processes.leftovers(self.folder) if pid != os.getpid()]
        processes.end(left)
        if Folder(self.folder).kept():
            raise OutsideError(_("the rehearsal in {folder} does not end").format(folder=self.folder))


def _compared(first: dict[str, float], newest: found.Found | None) -> tuple[float, float]:
    """Where an attempt began and where its checkpoint stood, in what both know: (0, 0) where they share nothing."""
    for name, base in (("step", newest.step if newest else None), ("samples", newest.samples if newest else None)):
        if base is not None and name in first:
            return first[name], float(base)
    return 0.0, 0.0


def _figures(made: Prepared, state: dict[str, Any]) -> Iterator[Check]:
    """Rate and memory against the forecast, as far as both are known here."""
    peaks, rate, quote = state.get("peaks") or {}, state.get("rate"), made.quote
    here = made.choice.where.way == "local"
    if here and rate and quote.rate and (state.get("progress") or {}).get("samples") is not None:
        low, middle, high = quote.rate
        text = _("{rate:.4g} samples/s, forecast {middle:.4g} ({low:.4g} to {high:.4g})")
        said = text.format(rate=rate, middle=middle, low=low, high=high)
        yield Check("rate", "ok" if low * 0.5 <= rate else "no", said)
    else:
        yield Check("rate", "unknown", _("not compared: this machine is not the place, or nothing was forecast"))
    yield _memory(_("GPU memory"), peaks.get("gpu_peak"), quote.gpu_memory if here else None)
    yield _memory(_("memory of the host"), peaks.get("host_peak"), quote.host_memory)


def _memory(name: str, peak: float | None, forecast: float | None) -> Check:
    if not peak:
        return Check("memory", "unknown", _("{name}: nothing to measure here").format(name=name))
    if forecast is None:
        return Check("memory", "unknown", _("{name}: peak {peak}").format(name=name, peak=format_bytes(peak)))
    text = _("{name}: peak {peak}, forecast {forecast}")
    said = text.format(name=name, peak=format_bytes(peak), forecast=format_bytes(forecast))
    return Check("memory", "ok" if peak <= forecast * SLACK else "no", said)
