"""The assignment as an integer program: a job goes to one place, a place is paid once, hours and money are limited."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from outboard.planner.combine.pairs import Pair, expected
from outboard.types.plan import BOUGHT
from outboard.types.trace import FloatArray

SECONDS = 4.0
SOONER = 1e-6  # what an hour of waiting counts, so that of equal costs the soonest is taken [USD/h]


@dataclass(frozen=True)
class Solved:
    """The pairs that were taken, and how far from proven optimal they are [1]."""

    taken: tuple[Pair, ...]
    gap: float


@dataclass
class _Rows:
    """Constraints ``low <= sum of weight * variable <= high``, row by row."""

    entries: list[dict[int, float]]
    low: list[float]
    high: list[float]

    def add(self, entries: dict[int, float], low: float, high: float) -> None:
        self.entries.append(entries)
        self.low.append(low)
        self.high.append(high)


def solve(pairs: Sequence[Pair], jobs: Iterable[int], budget: float | None) -> Solved | None:
    """Return the cheapest assignment of ``jobs``, None where one of them has no place or the limits allow none.

    Variables: x of each pair, y of each shared place, and its cost c, which lies above each of its lines.
    """
    here: dict[str, list[int]] = defaultdict(list)
    for number, pair in enumerate(pairs):
        if pair.shared:
            here[pair.place].append(number)
    places = {place: index for index, place in enumerate(here)}
    opened, paid = len(pairs), len(pairs) + len(places)
    rows = _Rows([], [], [])
    for job in sorted(jobs):
        rows.add({i: 1.0 for i, pair in enumerate(pairs) if pair.job == job}, 1.0, 1.0)
    for place, index in places.items():
        members = [(i, pairs[i]) for i in here[place]]
        _costs(rows, members, opened + index, paid + index)
        _hours(rows, members, opened + index)
    _pools(rows, pairs)
    _limits(rows, pairs, here, opened, places, budget)
    soon = [SOONER * one.judged.hours for one in pairs]
    alone = [0.0 if one.shared else _alone(one) for one in pairs]
    objective = np.array(
        [cost + late for cost, late in zip(alone, soon, strict=True)] + [0.0] * len(places) + [1.0] * len(places)
    )
    return _solved(pairs, objective, paid, rows)


def _alone(pair: Pair) -> float:
    """Return what a pair costs where nothing is shared [USD]."""
    assert pair.judged.cost is not None
    return expected(pair.judged.cost.over_horizon)


def _solved(pairs: Sequence[Pair], objective: FloatArray, paid: int, rows: _Rows) -> Solved | None:
    """Hand the program to HiGHS. Variables before ``paid`` are 0 or 1, the others free."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    integral = np.ones(len(objective))
    integral[paid:] = 0.0
    # Cards that gain value while they are used make a cost negative: no floor at zero.
    lower, upper = np.where(integral > 0, 0.0, -np.inf), np.where(integral > 0, 1.0, np.inf)
    data = [(value, row, column) for row, entries in enumerate(rows.entries) for column, value in entries.items()]
    values, row_numbers, columns = (np.array(part) for part in zip(*data, strict=True))
    matrix = coo_array((values, (row_numbers, columns)), shape=(len(rows.entries), len(objective))).tocsr()
    result = milp(
        objective,
        integrality=integral,
        bounds=Bounds(lower, upper),  # pyright: ignore[reportArgumentType]
        constraints=LinearConstraint(matrix, np.array(rows.low), np.array(rows.high)),  # pyright: ignore
        options={"time_limit": SECONDS},
    )
    if result.x is None:
        return None
    taken = tuple(pair for number, pair in enumerate(pairs) if result.x[number] > 0.5)
    return Solved(taken, max(float(result.mip_gap or 0.0), 0.0))


def _costs(rows: _Rows, here: list[tuple[int, Pair]], opened: int, paid: int) -> None:
    """Let the cost of a place lie above each of its lines; what is fixed for all jobs is paid once."""
    lines = {i: [(expected(fixed), expected(runs)) for fixed, runs in pair.lines()] for i, pair in here}
    for k in range(max(len(each) for each in lines.values())):
        at = {i: each[min(k, len(each) - 1)] for i, each in lines.items()}
        fixed = min(both[0] for both in at.values())
        entries = {i: -(runs + own - fixed) for i, (own, runs) in at.items()}
        rows.add({**entries, opened: -fixed, paid: 1.0}, 0.0, np.inf)


def _hours(rows: _Rows, here: list[tuple[int, Pair]], opened: int) -> None:
    """Nothing runs at a place that was not opened, and not more than it has hours."""
    loads = {i: pair.judged.load or 0.0 for i, pair in here}
    rows.add({**loads, opened: -1.0}, -np.inf, 0.0)
    for i in loads:
        rows.add({i: 1.0, opened: -1.0}, -np.inf, 0.0)


def _pools(rows: _Rows, pairs: Sequence[Pair]) -> None:
    """Two kinds of device of one quota share its hours."""
    pools: dict[str, dict[int, float]] = defaultdict(dict)
    for number, pair in enumerate(pairs):
        if pair.judged.candidate.pool:
            pools[pair.judged.candidate.pool][number] = pair.judged.load or 0.0
    for loads in pools.values():
        rows.add(loads, -np.inf, 1.0)


def _limits(
    rows: _Rows,
    pairs: Sequence[Pair],
    here: dict[str, list[int]],
    opened: int,
    places: dict[str, int],
    budget: float | None,
) -> None:
    """All machines together stay within the budget, and one new box hangs on the computer."""
    first = {place: pairs[numbers[0]].judged for place, numbers in here.items()}
    if budget is not None:
        bought = {
            opened + places[place]: one.upfront or 0.0 for place, one in first.items() if one.candidate.kind in BOUGHT
        }
        if bought:
            rows.add(bought, -np.inf, budget)
    boxes = {opened + places[place]: 1.0 for place, one in first.items() if one.candidate.kind == "egpu"}
    if boxes:
        rows.add(boxes, -np.inf, 1.0)
