"""The tree of terms, its verdict, and the largest safe batch that must agree with it."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outboard.perf.memory import memory_estimate, required_bytes, safe_max_batch, verdict
from outboard.types.estimate import Term
from outboard.types.evidence import Evidence

MIB = 1 << 20
Row = tuple[int, int, str, float, float]


def term(value: float | None, low: float | None = None, high: float | None = None) -> Term:
    return Term("t", value, "B", "test", Evidence.ASSUMED, low, high, note="test")


@pytest.mark.parametrize(
    ("required", "available", "expected"),
    [
        (term(8, 7, 10), term(10), "fits"),
        (term(8, 7, 10.1), term(10), "tight"),
        (term(10.1, 7, 12), term(10), "does_not_fit"),
        (term(8), term(8), "fits"),
        (term(None), term(8), "unknown"),
    ],
)
def test_verdict(required: Term, available: Term, expected: str) -> None:
    assert verdict(required, available) == expected


def test_the_parts_sum_to_the_peak(
    trace_of: Callable[..., object], job_of: Callable[..., object], place_of: Callable[..., object]
) -> None:
    operators = [("matmul", "forward", "fp32", 1, 1, 1, 1)]
    found = memory_estimate(job_of(), trace_of(operators=operators), 16, place_of(count=2))
    assert sum(part.value for part in found.parts) == pytest.approx(found.peak.value)
    assert {part.name for part in found.parts} >= {"weights", "activations", "gradient_buckets", "workspaces"}
    for whole in (found.peak, found.reserved, found.required, found.available):
        assert whole.low <= whole.value <= whole.high
    for whole in (found.reserved, found.required):
        assert sum(child.value for child in whole.children) == pytest.approx(whole.value)


def test_the_estimate_is_the_sweeps_entry(
    trace_of: Callable[..., object], job_of: Callable[..., object], place_of: Callable[..., object]
) -> None:
    job, trace = job_of(), trace_of()
    places = [place_of(), place_of(architecture="hopper", kind="datacentre"), place_of(count=4)]
    swept = required_bytes(job, trace, np.array([1.0, 8.0]), places)
    assert swept.required.value.shape == (3, 2)
    for row, place in enumerate(places):
        for column, batch in enumerate((1, 8)):
            found = memory_estimate(job, trace, batch, place)
            assert found.required.value == swept.required.value[row, column]
            assert found.required.high == swept.required.high[row, column]
            assert found.available.value == swept.available[row]


@st.composite
def rows(draw: st.DrawFn) -> list[Row]:
    """Random affine traces, shrinking sizes among them."""
    made: list[Row] = [(-1, 10, "weights", draw(st.integers(1, 50)) * MIB, 0)]
    for _ in range(draw(st.integers(1, 15))):
        birth = draw(st.integers(-1, 9))
        death = draw(st.integers(birth + 1, 10))
        category = draw(st.sampled_from(["activations", "temporaries", "output"]))
        made.append((birth, death, category, draw(st.integers(0, 40 * MIB)), draw(st.integers(-MIB // 4, 4 * MIB))))
    return made


@settings(max_examples=30)
@given(rows(), st.lists(st.integers(1, 3000), min_size=2, max_size=8))
def test_a_larger_batch_never_needs_less(
    trace_of: Callable[..., object],
    job_of: Callable[..., object],
    place_of: Callable[..., object],
    made: list[Row],
    batches: list[int],
) -> None:
    trace = trace_of(made, 10, (0, 4, 5, 9))
    found = required_bytes(job_of(), trace, np.array(sorted(batches), dtype=np.float64), [place_of()])
    for band in (found.allocated, found.reserved, found.required):
        for end in (band.low, band.value, band.high):
            assert (np.diff(end[0]) >= 0).all()
        assert (band.low <= band.value).all()
        assert (band.value <= band.high).all()


@settings(max_examples=30)
@given(rows(), st.floats(0.2e9, 40e9))
def test_the_largest_safe_batch_fits_and_the_next_does_not(
    trace_of: Callable[..., object],
    job_of: Callable[..., object],
    place_of: Callable[..., object],
    made: list[Row],
    memory: float,
) -> None:
    job, trace, place = job_of(), trace_of(made, 10, (0, 4, 5, 9)), place_of(memory)
    largest = int(safe_max_batch(job, trace, [place])[0])

    def answer(batch: int) -> str:
        found = memory_estimate(job, trace, batch, place)
        return verdict(found.required, found.available)

    if largest > 0:
        assert answer(largest) == "fits"
    if largest < 1 << 20:
        assert answer(largest + 1) != "fits"


def test_safe_batches_by_place_and_by_given_memory(
    trace_of: Callable[..., object], job_of: Callable[..., object], place_of: Callable[..., object]
) -> None:
    job, trace = job_of(), trace_of()
    places = [place_of(8e9), place_of(24e9), place_of(0.5e9), place_of(24e9, count=2)]
    small, large, none, pair = safe_max_batch(job, trace, places)
    assert none == 0 < small < pair < large
    assert safe_max_batch(job, trace, places[:1], np.array([48e9]))[0] > large
