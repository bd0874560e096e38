"""Which places are worth looking at, and which to take: the Pareto front, its ends and its knee."""

import math
from collections.abc import Sequence

from outboard.planner.judge import Judged
from outboard.types.situation import Goal


def pareto(judged: Sequence[Judged]) -> list[Judged]:
    """Return the feasible places that no other beats in both money and time, cheapest first."""
    best = math.inf
    front: list[Judged] = []
    for one in sorted((one for one in judged if one.feasible), key=cheap):
        if one.hours < best - 1e-12:
            front.append(one)
            best = one.hours
    return front


def choose(front: Sequence[Judged], goal: Goal) -> Judged | None:
    """Return the place to take from the front, None where it is empty."""
    if not front:
        return None
    if goal == "cheapest":
        return front[0]
    return front[-1] if goal == "soonest" else knee(front)


def knee(front: Sequence[Judged]) -> Judged:
    """Return where the front bends most: farthest below the straight line between cheapest and soonest.

    Hours count by their ratios, money by its differences: half the time is worth as much at any length of job.
    """
    first, last = front[0], front[-1]
    span, dearer = math.log(first.hours / last.hours), last.total - first.total
    if len(front) < 3 or span <= 0 or dearer <= 0:
        return first

    def below(one: Judged) -> float:
        return 1.0 - math.log(one.hours / last.hours) / span - (one.total - first.total) / dearer

    return max(front, key=below)


def ordered(judged: Sequence[Judged], chosen: Judged | None, goal: Goal) -> list[Judged]:
    """Return all places: the chosen one, the other feasible ones by the goal, then the infeasible ones."""
    key = soon if goal == "soonest" else cheap

    def rank(one: Judged) -> tuple[int, int, tuple[float, float, str]]:
        return (0 if one is chosen else 1 if one.feasible else 2, len(one.reasons), key(one))

    return sorted(judged, key=rank)


def cheap(one: Judged) -> tuple[float, float, str]:
    """Order by money, then by time."""
    return one.total, one.hours, one.candidate.id


def soon(one: Judged) -> tuple[float, float, str]:
    """Order by time, then by money."""
    return one.hours, one.total, one.candidate.id
