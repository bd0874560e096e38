"""Collectives on their own: limits, laws, and published timings that no coefficient saw."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outboard.perf.collectives.algorithms import all_reduce, gather, send
from outboard.perf.collectives.fabric import fact

law = settings(max_examples=80, deadline=None)
sizes = st.floats(1.0, 1e11)
counts = st.integers(1, 64)
rates = st.floats(1e8, 1e12)
steps = st.floats(0.0, 1e-3)


def one(value: float) -> np.ndarray:
    return np.array([float(value)])


@law
@given(sizes, counts, rates, steps, st.floats(1.0, 100.0))
def test_a_wider_wire_and_a_smaller_message_are_never_slower(
    size: float, n: int, rate: float, step: float, more: float
) -> None:
    base = all_reduce(size, one(n), one(rate), one(step))[0]
    assert all_reduce(size, one(n), one(rate * more), one(step))[0] <= base * (1 + 1e-12)
    assert all_reduce(size / more, one(n), one(rate), one(step))[0] <= base * (1 + 1e-12)


@law
@given(sizes, rates, steps)
def test_one_device_exchanges_nothing(size: float, rate: float, step: float) -> None:
    assert all_reduce(size, one(1), one(rate), one(step))[0] == 0.0
    assert gather(size, one(1), one(rate), one(step))[0] == 0.0


@law
@given(st.integers(2, 64), rates)
def test_a_large_message_takes_its_bytes_over_the_wire(n: int, rate: float) -> None:
    size = 1e16
    assert all_reduce(size, one(n), one(rate), one(0.0))[0] == pytest.approx(2 * (n - 1) / n * size / rate, rel=0.06)
    assert gather(size, one(n), one(rate), one(0.0))[0] == pytest.approx((n - 1) / n * size / rate, rel=0.06)


def test_between_machines_a_tree_beats_the_ring_where_steps_are_dear() -> None:
    ring, best = (all_reduce(8.0, one(64), one(1e10), one(1e-4), machines)[0] for machines in (0.0, 1.0))
    assert best < ring / 5


def test_a_message_takes_at_least_a_step() -> None:
    assert send(0.0, one(1e9), one(1e-5))[0] == pytest.approx(1e-5)


# Bus bandwidth [B/s] by message on eight H200, a switch that no coefficient saw (stas00/ml-engineering network/README).
H200 = {
    2**16: 2.93e9,
    2**18: 11.74e9,
    2**20: 39.93e9,
    2**22: 107.16e9,
    2**24: 219.89e9,
    2**26: 346.51e9,
    2**28: 436.15e9,
    2**30: 463.58e9,
}


def test_eight_h200_are_as_quick_as_published() -> None:
    step = one(fact("ring.step").value)
    off = [
        1.75 * size / all_reduce(float(size), one(8), one(482e9), step)[0] / measured - 1
        for size, measured in H200.items()
    ]
    assert np.median(np.abs(off)) < 0.15
    assert np.max(np.abs(off)) < 0.25
