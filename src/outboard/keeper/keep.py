"""Keeps a run going until it is done, asked to stop, or of no use."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from typing import Any

from outboard.keeper import processes, resources, saved, signs
from outboard.keeper.asks import Asks
from outboard.keeper.attempt import Attempt, Result, variables
from outboard.keeper.decide import Ended, Step, decide, forget
from outboard.keeper.folder import LOG, Folder
from outboard.keeper.reports import Progress, position, tail
from outboard.keeper.rest import rest

ATTEMPTS = 10_000  # attempts of one start; generations of the next start lie above them
FINAL = {"done": 0, "failed": 1, "lost": 1, "stopped": 0, "requeue": signs.AGAIN}
SHELL_START = "trap : TERM INT USR1\n"  # the shell waits for its command, which saves, and then hands on its status


class Keeper:
    """One start of one run; what earlier starts left is carried on."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.asked = folder.asked()
        before = folder.state()
        same = before.get("generation") == self.asked["generation"]
        self.count: int = before.get("attempt", 0) if same else 0
        self.failures: list[dict[str, Any]] = before.get("failures", []) if same else []
        self.reached: dict[str, Any] = before.get("progress", {})
        self.peaks: dict[str, int | None] = before.get("peaks", {})
        self.rate: float | None = before.get("rate")
        self.code: int | None = before.get("code")  # of the last attempt that ended
        self.gpus = resources.gpus()
        self.asks = Asks(folder, self.asked, float(before.get("seconds", 0.0)))
        self.save: saved.Saved | None = None

    def keep(self) -> int:
        """Run until there is nothing more to do here; return the exit status."""
        self.asks.listen()
        processes.adopt_orphans()
        processes.end(processes.leftovers(str(self.folder.path)))
        self.folder.event("started", generation=self.asked["generation"], attempt=self.count)
        while True:
            step = self._attempt()
            if step.to == "again" and step.wait and not self._wait(step):
                step = Step("stopped", "as asked")
            if step.to != "again":
                return self._finish(step)

    def _attempt(self) -> Step:
        self.count += 1
        before = saved.newest(self.asked, self.folder)
        self.save = before
        if before is None:
            self.reached = {}
        elif before.samples is not None or before.step is not None:
            told = {"samples": before.samples, "step": before.step}
            self.reached = {**self.reached, **{name: value for name, value in told.items() if value is not None}}
        progress = Progress(self.folder.path, self.asked, self.reached)
        attempt = Attempt(self.folder.path, self.asked, self.asks, progress)
        self._tell("running", progress, attempt)
        checkpoint = before.path if before else ""
        command = self.command(checkpoint)
        generation = self.asked["generation"] * ATTEMPTS + self.count
        environment = variables(self.asked, self.folder.path, generation, checkpoint)
        begun = time.monotonic()
        try:
            result = attempt.run(command, environment, lambda: self._tell("running", progress, attempt))
        except OSError as error:  # no such program or folder
            self._note(f"{error.filename or command[0]}: {error.strerror}")
            result = Result(127, None, False)
        self.code = result.code
        ended = self._ended(result, progress, before)
        step = decide(ended, self.failures, int(self.asked.get("allowed") or 3))
        self.failures = forget(ended, self.failures)
        self._tell("running", progress, attempt)
        self.folder.event(
            "ended",
            attempt=self.count,
            code=result.code,
            seconds=round(time.monotonic() - begun, 3),
            failure=ended.failure._asdict() if ended.failure else None,
            next=step.to,
            why=step.why,
            saved=self.save.path if self.save else None,
        )
        return self._without_gpu(step, ended)

    def command(self, checkpoint: str) -> list[str]:
        """The command of the job, with its set-up before it, and what it wants added when there is a checkpoint."""
        extra = ""
        if checkpoint and self.asked.get("resume"):
            extra = " " + self.asked["resume"].replace("{checkpoint}", shlex.quote(checkpoint))
        text = self.asked["command"].rstrip() + extra
        return ["/bin/bash", "-c", SHELL_START + (self.asked.get("setup") or "") + "\n" + text + "\n"]

    def _ended(self, result: Result, progress: Progress, before: saved.Saved | None) -> Ended:
        self.save = saved.newest(self.asked)
        reached = self.save.reached if self.save else 0.0
        failure: signs.Failure | None = None
        if result.hung:
            failure = signs.hung(float(self.asked["hang"]))
        elif result.code not in (0, signs.AGAIN) and result.asked is None:
            failure = signs.failure(result.code, tail(self.folder.path / LOG, signs.TAIL))
        elif result.code == 0 and result.asked is None and self._idle(progress, before):
            failure = signs.no_progress()
        return Ended(result.code, result.asked, failure, before.reached if before else 0.0, reached)

    def _idle(self, progress: Progress, before: saved.Saved | None) -> bool:
        """Whether it said it was done, though it should have told of progress and told of none."""
        total = self.asked.get("total_samples")
        if total and progress.reached.get("samples") is not None:
            return position(progress.reached) < 0.99 * float(total)
        wants = bool(self.asked.get("progress")) or bool(self.asked.get("checkpoints"))
        moved = progress.first is not None or (self.save is not None and self.save != before)
        return wants and not moved and not (before and self._complete(before))

    def _complete(self, before: saved.Saved) -> bool:
        total = self.asked.get("total_samples")
        samples, each = before.samples, self.asked.get("samples_per_step")
        if samples is None and before.step is not None and each:
            samples = int(before.step * each)
        return samples is not None and total is not None and samples >= 0.99 * float(total)

    def _without_gpu(self, step: Step, ended: Ended) -> Step:
        """Wait for a GPU that fell off the bus; one that stays away ends the run here, to be carried on elsewhere."""
        if ended.failure is None or ended.failure.kind != "gpu lost" or ended.asked is not None:
            return step
        patience = float(self.asked.get("gpu_wait") or 0.0)
        until = time.monotonic() + patience
        waited = False
        while self.gpus and (resources.gpus() or 0) < self.gpus:
            waited = True
            if self.asks.look() is not None:
                return Step("stopped", "as asked")
            if time.monotonic() > until:
                return Step("lost", f"the GPU went away and did not come back within {patience:.0f} s")
            self._tell("waiting", why="for the GPU: " + ended.failure.text)
            rest(1.0)
        if waited:
            self.folder.event("the GPU is back")
            return Step("again", ended.failure.text, 1.0)
        return Step("lost", step.why) if step.to == "failed" else step

    def _wait(self, step: Step) -> bool:
        until = time.monotonic() + step.wait
        while time.monotonic() < until:
            if self.asks.look() is not None:
                return False
            self._tell("waiting", why=step.why)
            rest(0.2)
        return True

    def _finish(self, step: Step) -> int:
        self.save = saved.newest(self.asked)
        self._tell(step.to, why=step.why)
        self.folder.event(step.to, why=step.why)
        self._notify(step)
        return FINAL[step.to]

    def _notify(self, step: Step) -> None:
        if not self.asked.get("notify"):
            return
        told = {"OUTBOARD_RUN": self.asked["id"], "OUTBOARD_STATE": step.to, "OUTBOARD_WHY": step.why}
        command = ["/bin/sh", "-c", self.asked["notify"]]
        try:
            subprocess.run(command, env={**os.environ, **told}, timeout=60, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError) as error:
            self.folder.event("notice failed", why=str(error))

    def _note(self, text: str) -> None:
        with (self.folder.path / LOG).open("a", encoding="utf-8") as file:
            file.write(f"outboard: {text}\n")

    def _tell(self, name: str, progress: Progress | None = None, attempt: Attempt | None = None, why: str = "") -> None:
        if progress is not None:
            self.reached = progress.reached
            self.rate = progress.rate() or self.rate
        if attempt is not None:
            seen = attempt.usage.plain()
            self.peaks = {key: _most(self.peaks.get(key), value) for key, value in seen.items()}
        self.folder.write_state(
            {
                "state": name,
                "why": why,
                "generation": self.asked["generation"],
                "attempt": self.count,
                "code": self.code,
                "failures": self.failures[-10:],
                "progress": self.reached,
                "rate": self.rate,
                "peaks": self.peaks,
                "checkpoint": self.save._asdict() if self.save else None,
                "seconds": round(self.asks.used(), 3),
                "beat": time.time(),
            }
        )


def _most(one: int | None, other: int | None) -> int | None:
    found = [each for each in (one, other) if each is not None]
    return max(found) if found else None
