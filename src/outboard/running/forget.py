"""A run that is over leaves the list, and its folder goes; the person's own files stay."""

from outboard.errors import OutsideError, UsageError
from outboard.i18n import _
from outboard.running import where
from outboard.store import Store
from outboard.types.run import OVER, Run


def forget(run: Run, store: Store) -> Run:
    """Remove it. Raises where it still goes, or where nobody can tell."""
    if run.state == "unreachable":
        raise OutsideError(_("{run}: {why}; it may still be running there").format(run=run.id, why=run.why))
    if run.state not in OVER and run.state != "prepared":
        raise UsageError(_("{run} is not over; outboard stop {run} ends it").format(run=run.id))
    where.executor(where.read(run.where)).forget(run.folder)
    store.forget_run(run.id)
    return run
