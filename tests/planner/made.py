"""Situations and jobs for the tests, short to write and quick to plan."""

from datetime import date
from functools import lru_cache
from typing import Any

from outboard.cost.draws import Draws
from outboard.cost.offers import load
from outboard.planner import jobs
from outboard.planner.candidates import gather
from outboard.planner.circumstances import Circumstances, resolve
from outboard.planner.jobs import Asked
from outboard.planner.judge import Study, study
from outboard.planner.plan import concluded
from outboard.types.job import JobFile
from outboard.types.money import Snapshot
from outboard.types.plan import Plan, PlanPlace
from outboard.types.situation import Situation

TODAY = date(2026, 12, 1)
DRAWS = Draws(count=256)


@lru_cache
def snapshot() -> Snapshot:
    """The offers that ship, a few devices of them: the plan of a test takes no second."""
    found = load()
    few = {"rtx-3090", "rtx-4090", "t4", "a100-sxm4-80gb", "h100-sxm5-80gb"}
    return Snapshot(tuple(o for o in found.offers if o.device in few), found.refused, found.newest, found.oldest)


def me(**said: Any) -> Circumstances:
    return resolve(Situation.model_validate(said), "me.yaml")


def job(workload: str = "hours:10 h on an RTX 3090, bound by fp32", **said: Any) -> Asked:
    return jobs.resolve(JobFile.model_validate({"name": "job", "workload": workload, **said}), "job.yaml")


def studied(asked: Asked, situation: Circumstances) -> Study:
    return study(asked, situation, gather(situation, snapshot(), TODAY), DRAWS)


def planned(asked: Asked, situation: Circumstances) -> Plan:
    return concluded(studied(asked, situation), snapshot(), TODAY)


def reasons(plan: Plan, kind: str) -> set[str]:
    """The kinds of reason against all places of one kind."""
    return {reason.kind for place in plan.places if place.kind == kind for reason in place.reasons}


def of_kind(plan: Plan, *kinds: str) -> list[PlanPlace]:
    return [place for place in plan.places if place.kind in kinds]
