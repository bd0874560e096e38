"""Kleene's laws, on conditions as they are written, over machines that are known in part."""

from itertools import product
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from outboard.compat import Machine
from outboard.compat.condition_tables import Reader
from outboard.compat.logic import Truth

FACTS: dict[str, tuple[Any, ...]] = {
    "os": ("linux", "windows"),
    "gpu_vendor": ("nvidia", "amd"),
    "rebar": (True, False),
    "kernel": ("6.8", "6.19.10"),
    "gpu_count": (1.0, 2.0),
}
LEAVES = [
    {"os": "linux"},
    {"gpu_vendor": ["nvidia", "intel"]},
    {"rebar": False},
    {"kernel": {"at_least": "6.9"}},
    {"gpu_count": {"below": 2}},
    {"os": {"is_not": "linux"}},
    {"seen": {"has": "xid-79"}},
]
conditions = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        st.builds(lambda part: {"not": part}, inner),
        st.builds(lambda parts: {"all": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda parts: {"any": parts}, st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=8,
)
machines = st.builds(
    Machine,
    **{name: st.sampled_from((None, *values)) for name, values in FACTS.items()},
    seen=st.sampled_from((None, frozenset[str](), frozenset({"xid-79"}))),
)


def holds(condition: dict[str, Any], machine: Machine) -> Truth:
    return Reader(Path("test.toml")).table(condition, "when").holds(machine)


@given(conditions, machines)
def test_a_double_negation_says_the_same(one: dict[str, Any], machine: Machine) -> None:
    assert holds({"not": {"not": one}}, machine) is holds(one, machine)


@given(conditions, conditions, machines)
def test_de_morgan(one: dict[str, Any], other: dict[str, Any], machine: Machine) -> None:
    both = holds({"not": {"all": [one, other]}}, machine)
    assert both is holds({"any": [{"not": one}, {"not": other}]}, machine)


@given(conditions, conditions, conditions, machines)
def test_order_grouping_and_repetition_do_not_matter(
    one: dict[str, Any], two: dict[str, Any], three: dict[str, Any], machine: Machine
) -> None:
    for word in ("all", "any"):
        flat = holds({word: [one, two, three]}, machine)
        assert flat is holds({word: [three, two, one]}, machine)
        assert flat is holds({word: [one, {word: [two, three]}]}, machine)
        assert holds({word: [one, one]}, machine) is holds(one, machine)


@given(conditions, conditions, conditions, machines)
def test_and_spreads_over_or(one: dict[str, Any], two: dict[str, Any], three: dict[str, Any], machine: Machine) -> None:
    spread = {"any": [{"all": [one, two]}, {"all": [one, three]}]}
    assert holds({"all": [one, {"any": [two, three]}]}, machine) is holds(spread, machine)


@given(conditions, machines)
def test_knowing_more_never_turns_a_certain_answer(one: dict[str, Any], machine: Machine) -> None:
    answer = holds(one, machine)
    if answer is None:
        return
    open_ = [name for name in FACTS if getattr(machine, name) is None]
    for values in product(*(FACTS[name] for name in open_)):
        known = {name: getattr(machine, name) for name in (*FACTS, "seen")} | dict(zip(open_, values, strict=True))
        assert holds(one, Machine(**known)) is answer


@given(conditions, machines)
def test_what_is_missing_is_unknown_and_named_only_while_undecided(one: dict[str, Any], machine: Machine) -> None:
    condition = Reader(Path("test.toml")).table(one, "when")
    missing = condition.missing(machine)
    assert bool(missing) is (condition.holds(machine) is None)
    assert all(name == "seen" or getattr(machine, name) is None for name in missing)
