"""Which job could go where, and what it adds there: the numbers that the integer program is made of."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from outboard.cost.arrays import Array
from outboard.planner.judge import Judged, Study
from outboard.types.plan import BOUGHT, PlaceKind

SHARED: tuple[PlaceKind, ...] = (*BOUGHT, "owned", "reserved", "monthly", "free tier", "cluster")
MOST_PLACES = 60
EACH_JOB = 3  # rents by the hour kept for each job: all but the cheapest are never taken, and two more do no harm


@dataclass(frozen=True)
class Pair:
    """One job at one place: its cost there without what the place costs anyway, and its share of the hours."""

    job: int
    judged: Judged

    @property
    def place(self) -> str:
        """The id of the place."""
        return self.judged.candidate.id

    @property
    def shared(self) -> bool:
        """Whether jobs at this place share something: a fixed cost, or its hours."""
        return self.judged.candidate.kind in SHARED

    def lines(self) -> list[tuple[Array, Array]]:
        """Fixed cost and cost of all runs over the horizon [USD], in every world, one pair for each line."""
        cost = self.judged.cost
        assert cost is not None
        return [(line.fixed, line.per_job * cost.jobs) for line in cost.lines]


def expected(draws: Array) -> float:
    """Return the mean of the middle 80 % of ``draws``: additive, and untouched by worlds in which a job never ends."""
    low, high = round(0.1 * draws.size), round(0.9 * draws.size)
    return float(np.partition(draws, (low, high - 1))[low:high].mean())


def pairs(studies: Sequence[Study], kinds: Collection[PlaceKind] | None = None) -> list[Pair]:
    """Return every feasible pair of a shortlist of at most ``MOST_PLACES`` places; ``kinds`` restricts it."""
    found = [
        Pair(number, one)
        for number, study in enumerate(studies)
        for one in study.judged
        if one.feasible and one.cost is not None and (kinds is None or one.candidate.kind in kinds)
    ]
    kept = shortlist(found, len(studies))
    return [pair for pair in found if pair.place in kept]


def shortlist(found: Iterable[Pair], jobs: int) -> set[str]:
    """Return the places worth giving to the solver.

    A rent by the hour shares nothing, so only the cheapest of each job can be in a best assignment: dropping the others
    loses nothing. Places that share a cost are ranked by what they would save over that.
    """
    by_hour: dict[int, list[Pair]] = defaultdict(list)
    shared: dict[str, list[Pair]] = defaultdict(list)
    for pair in found:
        if pair.shared:
            shared[pair.place].append(pair)
        else:
            by_hour[pair.job].append(pair)
    each = min(EACH_JOB, max(1, MOST_PLACES // (2 * max(jobs, 1))))
    cheapest = {job: sorted(few, key=lambda one: one.judged.total)[:each] for job, few in by_hour.items()}
    kept = {pair.place for few in cheapest.values() for pair in few}
    else_paid = {job: few[0].judged.total for job, few in cheapest.items()}
    ranked = sorted(shared, key=lambda place: _loss(shared[place], else_paid))
    return kept | set(ranked[: MOST_PLACES - len(kept)])


def _loss(here: Sequence[Pair], else_paid: dict[int, float]) -> float:
    """Return what the place costs with every job that gains there, less what these would else pay [USD]."""
    fixed = min(expected(pair.lines()[0][0]) for pair in here)
    gains = [expected(pair.lines()[0][1]) - else_paid.get(pair.job, pair.judged.total) for pair in here]
    return fixed + sum(min(gain, 0.0) for gain in gains)
