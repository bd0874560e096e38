"""Files in, answer out: the plans of all jobs and, for several, the best combination."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import cast

from outboard import clock
from outboard.cost.draws import Draws
from outboard.errors import UsageError
from outboard.i18n import _
from outboard.planner import circumstances, jobs, prices
from outboard.planner.candidates import Candidate, gather
from outboard.planner.jobs import Asked
from outboard.planner.judge import Study, study
from outboard.planner.plan import concluded
from outboard.planner.portfolio import portfolio
from outboard.types.money import Snapshot
from outboard.types.plan import Plan, Portfolio
from outboard.types.situation import Goal


@dataclass(frozen=True)
class Ground:
    """What plans of one person on one day share: the prices, the worlds, and every place that could be had."""

    snapshot: Snapshot
    draws: Draws
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Answer:
    """What was asked, what was found, and what follows from it."""

    me: circumstances.Circumstances
    studies: tuple[Study, ...]
    plans: tuple[Plan, ...]
    portfolio: Portfolio | None


def answer(
    job_files: Sequence[str | Path], situation: str | Path | None, goal: str | None = None, today: date | None = None
) -> Answer:
    """Read the files and plan. ``goal`` replaces that of the situation."""
    asked = [jobs.load(path) for path in job_files]
    _distinct(asked)
    me = circumstances.load(situation)
    if goal is not None:
        me = replace(me, stated=me.stated.model_copy(update={"goal": cast(Goal, goal)}))
    return planned(asked, me, today or clock.today())


def ground(me: circumstances.Circumstances, today: date) -> Ground:
    """Gather what does not depend on a job; whoever plans for the same person again may keep it."""
    snapshot = prices.current()
    return Ground(snapshot, Draws(), tuple(gather(me, snapshot, today)))


def planned(
    asked: Sequence[Asked], me: circumstances.Circumstances, today: date, known: Ground | None = None
) -> Answer:
    """Plan jobs that were read already; ``known`` where the ground was gathered before."""
    on = known or ground(me, today)
    studies = tuple(study(one, me, on.candidates, on.draws) for one in asked)
    plans = tuple(concluded(one, on.snapshot, today) for one in studies)
    return Answer(me, studies, plans, portfolio(studies, plans))


def _distinct(asked: Sequence[Asked]) -> None:
    names = [one.name for one in asked]
    for one in asked:
        if names.count(one.name) > 1:
            raise UsageError(_("{path}: name: two jobs are called '{name}'").format(path=one.path, name=one.name))
