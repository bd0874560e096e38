"""Several jobs at once: as cheap as trying every combination, within budget and hours."""

from itertools import product

import jsonschema
import pytest

from outboard import schema
from outboard.planner.candidates import gather
from outboard.planner.combine.pairs import MOST_PLACES, Pair, expected, pairs
from outboard.planner.combine.solve import solve
from outboard.planner.document import document
from outboard.planner.judge import Study, study
from outboard.planner.plan import concluded
from outboard.planner.portfolio import portfolio, worlds
from outboard.types.plan import BOUGHT
from tests.planner.made import DRAWS, TODAY, job, me, snapshot

SITUATION = me(ports=["tb4"], country="ES", budget="2500 EUR", horizon="3 years")
JOBS = [
    job("hours:2 h on an RTX 3090, bound by tensor", name="prototype", repeat={"runs_per_week": 20}, memory="10 GB"),
    job("hours:30 h on an RTX 3090, bound by fp32", name="train", repeat={"runs_per_month": 4}, memory="20 GB"),
    job("hours:20 h on an A100 80GB, bound by tensor", name="large", repeat={"runs_per_month": 1}, memory="70 GB"),
]


@pytest.fixture(scope="module")
def studies() -> list[Study]:
    candidates = gather(SITUATION, snapshot(), TODAY)
    return [study(one, SITUATION, candidates, DRAWS) for one in JOBS]


def brute_force(found: list[Pair], jobs: int, budget: float) -> float:
    by_job = [[pair for pair in found if pair.job == number] for number in range(jobs)]
    best = float("inf")
    for taken in product(*by_job):
        opened = {pair.place: pair.judged for pair in taken if pair.judged.candidate.kind in BOUGHT}
        if sum(one.upfront or 0.0 for one in opened.values()) > budget:
            continue
        if sum(one.candidate.kind == "egpu" for one in opened.values()) > 1:
            continue
        loads: dict[str, float] = {}
        for pair in taken:
            if pair.shared:
                key = pair.judged.candidate.pool or pair.place
                loads[key] = loads.get(key, 0.0) + (pair.judged.load or 0.0)
        if max(loads.values(), default=0.0) <= 1.0:
            best = min(best, expected(worlds(taken)))
    return best


def test_it_is_as_cheap_as_the_best_of_all_combinations(studies: list[Study]) -> None:
    found = pairs(studies)
    few = [
        pair
        for number in range(3)
        for pair in sorted((one for one in found if one.job == number), key=lambda one: one.judged.total)[:12]
    ]
    assert SITUATION.budget is not None
    best = solve(few, range(3), SITUATION.budget)
    assert best is not None and best.gap < 1e-4
    # The program adds what is expected of each line; the worlds take the largest line in each: nearly the same.
    assert expected(worlds(best.taken)) == pytest.approx(brute_force(few, 3, SITUATION.budget), rel=0.02)


def test_every_job_goes_somewhere_once(studies: list[Study]) -> None:
    plans = [concluded(one, snapshot(), TODAY) for one in studies]
    found = portfolio(studies, plans)
    assert found is not None
    assert sorted(one.job for one in found.assignment) == ["large", "prototype", "train"]
    assert found.gap < 1e-4 and found.all_cloud is not None
    assert found.cost_over_horizon.p50 <= found.all_cloud.p50 * 1.01
    jsonschema.validate(document(plans, found), schema.load("plan"))
    assert sum(one.cost_over_horizon for one in found.assignment) == pytest.approx(found.cost_over_horizon.p50, rel=0.1)


def test_the_shortlist_is_short(studies: list[Study]) -> None:
    assert len({pair.place for pair in pairs(studies)}) <= MOST_PLACES


def test_no_combination_beyond_the_budget(studies: list[Study]) -> None:
    best = solve(pairs(studies), range(3), 0.0)
    assert best is not None
    assert all(pair.judged.candidate.kind not in BOUGHT for pair in best.taken)


def test_a_job_that_fits_nowhere_is_named(studies: list[Study]) -> None:
    huge = study(
        job("hours:1 h on a T4, bound by fp32", name="huge", memory="9 TB"),
        SITUATION,
        gather(SITUATION, snapshot(), TODAY),
        DRAWS,
    )
    both = [studies[0], huge]
    found = portfolio(both, [concluded(one, snapshot(), TODAY) for one in both])
    assert found is not None and found.unplaced == ("huge",)
