"""A run goes on at another place: stopped there, its state brought here and there, started from its checkpoint."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from outboard.errors import OutsideError, UsageError
from outboard.executors.base import Executor
from outboard.i18n import _
from outboard.running import where
from outboard.running.again import claim, started
from outboard.running.choose import Choice
from outboard.running.look import look
from outboard.running.progress import progress
from outboard.running.quote import HOUR, quote
from outboard.running.start import Prepared, forecast_of, launch_of, reread
from outboard.store import Store
from outboard.types.run import GOING, Launch, Run
from outboard.units import parse

POLL = 0.5  # [s]
PATIENCE = 60.0  # beyond the grace that the job has for saving [s]
LONGEST_LOG = 16 << 20  # of the log that travels with the run [B]
Tell = Callable[[str], None]


def prepared_move(run: Run, choice: Choice, price: str | None = None, budget: str | None = None) -> Prepared:
    """Decide everything a move needs; nothing is stopped yet."""
    if choice.where.text == run.where:
        raise UsageError(_("{run} is at {place} already").format(run=run.id, place=run.where))
    if run.state == "done":
        raise UsageError(_("{run} is done").format(run=run.id))
    job = reread(run)
    there = quote(job, choice, price)
    launch = launch_of(job, choice, there, budget or job.section.budget, run.id, run.generation + 1)
    return Prepared(job, choice, there, launch, where.executor(choice.where))


def move(run: Run, made: Prepared, store: Store, tell: Tell = lambda text: None) -> Run:
    """Do it. The run stays at its old place, stopped, when anything fails before it starts at the new one."""
    made.executor.check()
    old = where.executor(where.read(run.where))
    now = stopped(look(run, store), old, store, tell)
    tell(_("fetching its state from {place}").format(place=run.where))
    carried = _carried(now, made, old, store)
    launch = _launch(now, made)
    tell(_("sending it to {place}").format(place=made.choice.where.text))
    folder = made.executor.prepare(launch)
    made.executor.carry(launch, folder, carried, _its_own(made))
    _log(now, old, made.executor, folder)
    claimed = claim(now, store)
    try:
        reference = made.executor.start(launch, folder)
    except OutsideError as error:
        store.save_run(replace(now, generation=claimed.generation, state="stopped", why=str(error)))
        raise
    there = replace(
        claimed,
        where=made.choice.where.text,
        place=made.quote.place.name if made.quote.place else "",
        folder=folder,
        forecast=forecast_of(replace(made, launch=launch), _spent(now)),
    )
    return started(there, reference, store)


def _launch(run: Run, made: Prepared) -> Launch:
    """The launch with what the run has behind it: its progress, its hours, and its money, paid at another price."""
    launch, spent = made.launch, _spent(run)
    seen = {name: run.told[name] for name in ("progress", "peaks", "seconds") if name in run.told}
    seconds = launch.budget_seconds
    if seconds is not None and made.quote.usd_per_hour:
        seconds += spent["seconds"] - spent["usd"] / made.quote.usd_per_hour * HOUR
        if seconds <= spent["seconds"]:
            raise UsageError(_("{run} has used up its budget; --budget gives it another").format(run=run.id))
    return replace(launch, seen={**seen, "state": "prepared"}, budget_seconds=seconds)


def stopped(run: Run, executor: Executor, store: Store, tell: Tell) -> Run:
    """Have it saved and ended where it is. Raises where that cannot be known."""
    if run.state == "unreachable":
        raise OutsideError(_("{run}: {why}; its state cannot be fetched").format(run=run.id, why=run.why))
    if run.state not in GOING:
        return run
    tell(_("stopping it at {place}, which lets it save").format(place=run.where))
    executor.stop(run.folder, run.reference)
    until = time.monotonic() + parse(reread(run).section.grace, "s") + PATIENCE
    while run.state in GOING or run.state == "unreachable":
        if time.monotonic() > until:
            message = _("{run} did not end at {place}; outboard stop {run} --now ends it without saving")
            raise OutsideError(message.format(run=run.id, place=run.where))
        time.sleep(POLL)
        run = look(run, store)
    return run


def _its_own(made: Prepared) -> tuple[str, ...]:
    """What the run itself wrote and needs to go on."""
    said = made.launch.section
    return (*filter(None, [said.checkpoints]), *said.outputs)


def _carried(run: Run, made: Prepared, old: Executor, store: Store) -> Path:
    """The folder here that holds the run's own files: the person's where it ran or will run, else one beside it."""
    if "local" in (where.read(run.where).way, made.choice.where.way):
        target = Path(run.job["workdir"])
    else:
        target = store.path.parent / "carried" / run.id
        target.mkdir(parents=True, exist_ok=True, mode=0o700)
    old.fetch(run.folder, _its_own(made), target)
    return target


def _log(run: Run, old: Executor, new: Executor, folder: str) -> None:
    """The log goes along, so that it is read as one."""
    new.write_log(folder, old.log(run.folder)[-LONGEST_LOG:])


def _spent(run: Run) -> dict[str, Any]:
    so_far = progress(run)
    return {"usd": so_far.cost or 0.0, "hours": so_far.hours or 0.0, "seconds": (so_far.hours or 0.0) * HOUR}
