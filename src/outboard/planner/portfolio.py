"""Several jobs over several places: prototype here, train there, and what all-cloud and all-own would cost instead."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from outboard.cost.arrays import MONTHS_PER_YEAR, Array, band
from outboard.i18n import _
from outboard.planner.combine.pairs import Pair, pairs
from outboard.planner.combine.solve import Solved, solve
from outboard.planner.judge import Study
from outboard.planner.sentences import spread
from outboard.planner.turning import interval
from outboard.planner.words import money
from outboard.types.plan import BOUGHT, RENTED, Assignment, Interval, PlaceKind, Plan, Portfolio

OWN: tuple[PlaceKind, ...] = (*BOUGHT, "owned")
PROVEN = 1e-4  # the relative gap at which the solver calls an assignment optimal


def portfolio(studies: Sequence[Study], plans: Sequence[Plan]) -> Portfolio | None:
    """Return the best combination; for one job it is that job's own recommendation."""
    if len(studies) == 1:
        return _single(studies[0], plans[0])
    everything = pairs(studies)
    placed = {pair.job for pair in everything}
    unplaced = tuple(one.asked.name for number, one in enumerate(studies) if number not in placed)
    best = solve(everything, placed, studies[0].me.budget) if placed else None
    if best is None:
        return None
    total = interval(band(worlds(best.taken)))
    cloud, own = (_restricted(studies, kinds) for kinds in (RENTED, OWN))
    return Portfolio(
        assignment=assignments(best.taken, studies),
        gap=best.gap,
        cost_over_horizon=total,
        all_cloud=cloud,
        all_own=own,
        sentence=_sentence(studies, best, total, cloud, own),
        unplaced=unplaced,
    )


def _single(study: Study, plan: Plan) -> Portfolio | None:
    chosen = next((one for one in study.judged if one.candidate.id == plan.recommendation.id), None)
    if chosen is None or chosen.over_horizon is None:
        return None
    taken = (Pair(0, chosen),)
    total = interval(chosen.over_horizon)
    cloud, own = (_cheapest(study, kinds) for kinds in (RENTED, OWN))
    return Portfolio(assignments(taken, [study]), 0.0, total, cloud, own, plan.recommendation.sentence)


def _cheapest(study: Study, kinds: Sequence[PlaceKind]) -> Interval | None:
    found = [one for one in study.judged if one.feasible and one.candidate.kind in kinds]
    best = min(found, key=lambda one: one.total, default=None)
    return interval(best.over_horizon) if best and best.over_horizon else None


def _restricted(studies: Sequence[Study], kinds: Sequence[PlaceKind]) -> Interval | None:
    """Return the cost with only these kinds of places, None where they cannot take every job."""
    found = pairs(studies, kinds)
    jobs = set(range(len(studies)))
    if {pair.job for pair in found} != jobs:
        return None
    best = solve(found, jobs, studies[0].me.budget)
    return interval(band(worlds(best.taken))) if best else None


def worlds(taken: Sequence[Pair]) -> Array:
    """Return what the assignment costs in every world [USD]: a shared place is the largest of its summed lines."""
    shared: dict[str, list[Pair]] = defaultdict(list)
    total = np.zeros(1)
    for pair in taken:
        assert pair.judged.cost is not None
        if pair.shared:
            shared[pair.place].append(pair)
        else:
            total = total + pair.judged.cost.over_horizon
    for here in shared.values():
        total = total + _place(here)
    return np.asarray(total, dtype=np.float64)


def _place(here: Sequence[Pair]) -> Array:
    lines = [pair.lines() for pair in here]
    sums: list[Array] = []
    for k in range(max(len(each) for each in lines)):
        at = [each[min(k, len(each) - 1)] for each in lines]
        fixed = np.minimum.reduce([own for own, _runs in at])
        sums.append(fixed + sum((runs + own - fixed for own, runs in at), np.zeros(1)))
    return np.maximum.reduce(sums)


def assignments(taken: Sequence[Pair], studies: Sequence[Study]) -> tuple[Assignment, ...]:
    """Return who goes where; what a place costs is shared by the hours that each job takes of it."""
    here: dict[str, list[Pair]] = defaultdict(list)
    for pair in taken:
        here[pair.place].append(pair)
    found: list[Assignment] = []
    for pair in sorted(taken, key=lambda one: one.job):
        one = pair.judged
        assert one.cost is not None and one.elapsed is not None
        if pair.shared:
            loads = sum(other.judged.load or 0.0 for other in here[pair.place])
            share = (one.load or 0.0) / loads if loads else 1.0 / len(here[pair.place])
            cost = share * band(worlds(here[pair.place])).p50
        else:
            cost = one.total
        found.append(
            Assignment(
                job=studies[pair.job].asked.name,
                id=pair.place,
                place=one.candidate.place.name,
                label=one.candidate.label,
                hours_per_job=interval(one.elapsed),
                cost_over_horizon=cost,
            )
        )
    return tuple(found)


def _sentence(
    studies: Sequence[Study], best: Solved, total: Interval, cloud: Interval | None, own: Interval | None
) -> str:
    me = studies[0].me
    where: dict[str, list[str]] = defaultdict(list)
    for pair in best.taken:
        where[pair.judged.candidate.label].append(studies[pair.job].asked.name)
    form = _("{jobs} on {label}")
    said = "; ".join(form.format(jobs=", ".join(jobs), label=label) for label, jobs in where.items())
    months = me.horizon * MONTHS_PER_YEAR
    text = _("Best together: {said}. That costs {money} over {months:.0f} months")
    text = text.format(said=said, money=spread(total, me), months=months)
    for found, name in ((cloud, _("all rented")), (own, _("all on own machines"))):
        other = money(found.p50, me) if found else _("not possible")
        text += "; " + _("{name}: {money}").format(name=name, money=other)
    proof = _("proven optimal") if best.gap <= PROVEN else _("within {gap:.1f} % of the optimum")
    return f"{text} ({proof.format(gap=100 * best.gap)})."
