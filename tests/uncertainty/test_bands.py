"""Bands are lognormal, their causes add in quadrature, and the spreads that ship make sense."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outboard.uncertainty import Cause, band, fact_sigma, step_sigma
from outboard.uncertainty.bands import Z80

sigmas = st.floats(0.0, 1.0)


@given(st.floats(1e-6, 1e6), sigmas, sigmas)
def test_a_band_holds_its_value_and_widens_with_every_cause(value: float, one: float, two: float) -> None:
    narrow = band(value, [Cause("one", one)])
    wide = band(value, [Cause("one", one), Cause("two", two)])
    assert wide.low <= narrow.low * (1 + 1e-12)
    assert narrow.low <= value * (1 + 1e-12)
    assert narrow.high <= wide.high * (1 + 1e-12)
    assert wide.sigma == pytest.approx(math.hypot(one, two))


@given(st.lists(sigmas, min_size=1, max_size=6))
def test_causes_are_ranked_widest_first(values: list[float]) -> None:
    found = band(1.0, [Cause(str(number), sigma) for number, sigma in enumerate(values)])
    ranked = [cause.sigma for cause in found.causes]
    assert ranked == sorted(ranked, reverse=True)
    assert all(sigma > 0 for sigma in ranked)


def test_an_eighty_percent_band_is_where_a_lognormal_has_eighty_percent() -> None:
    found = band(1.0, [Cause("model", 0.2)])
    share = math.erf(math.log(found.high) / 0.2 / math.sqrt(2))
    assert share == pytest.approx(0.8)


def test_a_fact_without_a_range_adds_nothing() -> None:
    assert fact_sigma(2.5e9, None, None) == 0.0
    assert fact_sigma(2.5e9, 2.5e9, 2.5e9) == 0.0
    assert fact_sigma(1.0, math.exp(-Z80), math.exp(Z80)) == pytest.approx(1.0)


@pytest.mark.parametrize("task", ["infer", "train", "finetune"])
def test_what_was_never_measured_is_less_certain(task: str) -> None:
    known = step_sigma(task, "ampere-ga10x", workload_like_measured=True)
    assert 0.02 < known < 0.6
    assert known <= step_sigma(task, "cdna3", workload_like_measured=True)
    assert known < step_sigma(task, "ampere-ga10x", workload_like_measured=False)
