"""A run that was stopped, or died, goes on where it was, from its last good checkpoint."""

from dataclasses import replace

from outboard.errors import OutsideError, UsageError
from outboard.i18n import _
from outboard.running import where
from outboard.running.look import look
from outboard.running.start import budget_left, reread, secret_values, starting
from outboard.store import Store
from outboard.types.run import GOING, Launch, Run


def resume(run: Run, store: Store, budget: str | None = None) -> Run:
    """Start it anew at its place. Raises :class:`UsageError` for one that goes or is done, or was taken by another."""
    now = look(run, store)
    _may(now)
    executor = where.executor(where.read(now.where))
    launch = launch_again(now, budget)
    claimed = claim(now, store)
    executor.prepare(launch)
    return started(claimed, executor.start(launch, claimed.folder), store)


def claim(run: Run, store: Store) -> Run:
    """Take the run's next generation, so that only one process starts it and older ones write nothing any more."""
    mine = starting(replace(run, generation=run.generation + 1))
    if not store.claim_run(mine):
        message = _("{run} was started by another outboard just now; outboard runs shows it")
        raise UsageError(message.format(run=run.id))
    return mine


def started(run: Run, reference: str, store: Store) -> Run:
    """Keep that it goes again."""
    now = starting(replace(run, reference=reference))
    store.save_run(now)
    return now


def launch_again(run: Run, budget: str | None = None) -> Launch:
    """The launch of a run's next generation, with everything that was decided at its first."""
    job, kept = reread(run), run.forecast["launch"]
    return Launch(
        id=run.id,
        name=run.name,
        generation=run.generation + 1,
        section=job.section,
        workdir=job.workdir,
        secrets=secret_values(job.section.secrets),
        budget_seconds=budget_left(run, budget) if budget else kept["budget_seconds"],
        **{name: value for name, value in kept.items() if name != "budget_seconds"},
    )


def _may(run: Run) -> None:
    if run.state in GOING:
        raise UsageError(_("{run} is {state} already").format(run=run.id, state=_(run.state)))
    if run.state == "done":
        raise UsageError(_("{run} is done; outboard run starts its job anew").format(run=run.id))
    if run.state == "unreachable":
        message = _("{run}: {why}; it may still be running there, so it is not started twice")
        raise OutsideError(message.format(run=run.id, why=run.why))
