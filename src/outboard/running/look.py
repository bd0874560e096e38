"""How runs are now: asked of their places, all at once, and kept."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from outboard.errors import OutboardError, OutsideError, UnknownNameError, UsageError
from outboard.i18n import _
from outboard.running import learn, where
from outboard.running.start import CLAIMED
from outboard.store import Store
from outboard.types.run import OVER, Run, Seen

STARTING = 60.0  # so long a start may take until the place shows it [s]
AT_ONCE = 16  # places asked at the same time
SETTLED = tuple(state for state in OVER if state != "dead")  # these change no more by themselves


def find(store: Store, name: str) -> Run:
    """The run of that id, or of that beginning of an id or name where only one has it."""
    known = store.runs()
    for one in known:
        if one.id == name:
            return one
    near = [one for one in known if one.id.startswith(name) or one.name == name]
    if len(near) == 1:
        return near[0]
    if near:
        listed = ", ".join(one.id for one in near)
        raise UsageError(_("'{name}' may be any of {runs}; write one of these").format(name=name, runs=listed))
    raise UnknownNameError(_("run"), name, [one.id for one in known[:3]], _("outboard runs --all lists them"))


def look(run: Run, store: Store) -> Run:
    """Ask the run's place, keep the answer, and bring home what a finished run made."""
    if run.state in SETTLED:
        return run
    executor = where.executor(where.read(run.where))
    try:
        seen = executor.see(run.folder, run.reference)
    except OutsideError as error:
        seen = Seen("unreachable", str(error))
    return settled(run, seen, store)


def settled(run: Run, seen: Seen, store: Store) -> Run:
    """Keep what was seen of a run; a later start of it by another process stands."""
    if run.state == "starting" and _under_way(run, seen):
        return run
    now = replace(run, state=seen.state, why=seen.why, told=seen.told or run.told)
    if now.state == "done":
        now = _delivered(now)
    if not store.save_run(now):
        return find(store, run.id)
    if now.state in SETTLED:
        learn.keep(now, store)
    return now


def _under_way(run: Run, seen: Seen) -> bool:
    """Whether its place shows an earlier start only, because somebody is starting it this minute."""
    earlier = seen.told.get("generation", 0) < run.generation
    return earlier and seen.state != "unreachable" and abs(time.time() - run.told.get(CLAIMED, 0.0)) < STARTING


def _delivered(run: Run) -> Run:
    """Fetch the outputs; a run whose outputs cannot be fetched now is asked again later."""
    outputs = tuple(run.job["said"].get("run", {}).get("outputs", ()))
    if not outputs:
        return run
    try:
        where.executor(where.read(run.where)).fetch(run.folder, outputs, Path(run.job["workdir"]))
    except OutsideError as error:
        message = _("done, but its outputs could not be fetched: {reason}").format(reason=error)
        return replace(run, state="unreachable", why=message)
    return run


def every(
    store: Store, runs: Sequence[Run] | None = None, tell: Callable[[str], None] = lambda text: None
) -> list[Run]:
    """Look at all runs at once; what goes wrong with one keeps nothing from the others."""
    known = store.runs() if runs is None else list(runs)
    if not known:
        return []

    def safely(run: Run) -> Run:
        try:
            return look(run, store)
        except OutboardError as error:
            tell(f"{run.id}: {error}")
            return run

    with ThreadPoolExecutor(min(AT_ONCE, len(known))) as pool:
        return list(pool.map(safely, known))
