"""Stays with a run until it is over: carries it on where it died, and at the next place where its GPU is lost."""

import time
from collections.abc import Callable
from dataclasses import replace

from outboard.errors import OutboardError
from outboard.i18n import _
from outboard.running import where
from outboard.running.again import resume
from outboard.running.choose import Choice
from outboard.running.look import look
from outboard.running.move import move, prepared_move
from outboard.store import Store
from outboard.types.run import Run

FIRST, LONGEST = 0.5, 15.0  # between two looks [s]; a dead run is noticed well within a minute
LIVES = 20  # of its keeper; one that dies more often is not being killed, it is broken
ENDED = ("done", "failed", "stopped", "moved")

Tell = Callable[[str], None]


def watch(
    run: Run, store: Store, each: Callable[[Run], None] = lambda run: None, tell: Tell = lambda text: None
) -> Run:
    """Return the run once it is over. ``each`` gets it at every look, ``tell`` a line where something is done."""
    pause, lives = FIRST, 0
    while True:
        run = look(run, store)
        each(run)
        if run.state in ENDED:
            return run
        if run.state == "lost":
            onward = _onward(run, store, tell)
            if onward is None:
                return run
            run, pause = onward, FIRST
        elif run.state == "dead":
            lives += 1
            if lives > LIVES:
                return run
            tell(_("{run} died: {why}; carrying it on").format(run=run.id, why=run.why))
            run, pause = _resumed(run, store, tell), FIRST
        time.sleep(pause)
        pause = min(LONGEST, 1.3 * pause)


def _resumed(run: Run, store: Store, tell: Tell) -> Run:
    """Start it anew; where that fails it is tried at the next look."""
    try:
        return resume(run, store)
    except OutboardError as error:
        tell(str(error))
        return run


def _onward(run: Run, store: Store, tell: Tell) -> Run | None:
    """Go on at the first of the next places that takes it; None where there is none."""
    for number, text in enumerate(run.fallback, 1):
        if text.partition("=")[0] == run.where:
            continue
        tell(_("{run} lost its GPU: {why}; going on at {place}").format(run=run.id, why=run.why, place=text))
        try:
            moved = move(run, prepared_move(run, Choice(where.read(text))), store, tell)
            left = replace(moved, fallback=run.fallback[number:])  # each is tried once: no run wanders in circles
            store.save_run(left)
            return left
        except OutboardError as error:
            tell(str(error))
    return None


def exit_status(run: Run) -> int:
    """Of ``--wait``: the job's own, 0 where it is done, 3 where something outside ended it."""
    if run.state == "done":
        return 0
    code = run.told.get("code")
    if run.state == "failed" and isinstance(code, int) and code:
        return code if code > 0 else 128 - code
    return 3 if run.state in ("lost", "dead", "unreachable") else 1
