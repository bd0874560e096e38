"""The front and its knee, against brute force."""

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from outboard.planner import rank


def place(number: int, total: float, hours: float, feasible: bool = True) -> Any:
    return SimpleNamespace(
        total=total, hours=hours, feasible=feasible, reasons=(), candidate=SimpleNamespace(id=str(number))
    )


PLACES = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20), st.booleans()), max_size=30)


@given(PLACES)
def test_the_front_is_what_no_other_beats(drawn: list[tuple[int, int, bool]]) -> None:
    places = [place(i, float(cost), float(hours), ok) for i, (cost, hours, ok) in enumerate(drawn)]
    able = [one for one in places if one.feasible]
    beaten = {
        id(one)
        for one in able
        for other in able
        if other.total <= one.total
        and other.hours <= one.hours
        and (other.total, other.hours) != (one.total, one.hours)
    }
    front = rank.pareto(places)
    assert {(one.total, one.hours) for one in front} == {
        (one.total, one.hours) for one in able if id(one) not in beaten
    }


@given(PLACES)
def test_whatever_is_chosen_is_on_the_front(drawn: list[tuple[int, int, bool]]) -> None:
    places = [place(i, float(cost), float(hours), ok) for i, (cost, hours, ok) in enumerate(drawn)]
    front = rank.pareto(places)
    for goal in ("cheapest", "soonest", "balanced"):
        chosen = rank.choose(front, goal)  # type: ignore[arg-type]
        assert (chosen is None) == (not front)
        assert chosen is None or chosen in front
    if front:
        assert rank.choose(front, "cheapest").total == min(one.total for one in front)  # type: ignore[union-attr]
        assert rank.choose(front, "soonest").hours == min(one.hours for one in front)  # type: ignore[union-attr]


def test_the_knee_is_where_more_money_stops_buying_time() -> None:
    front = [place(0, 10.0, 40.0), place(1, 14.0, 10.0), place(2, 100.0, 8.0)]
    assert rank.knee(front) is front[1]
