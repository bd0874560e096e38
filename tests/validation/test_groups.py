"""Statistics of groups."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outboard.validation.groups import BY, grouped, summarise, worst
from outboard.validation.predict import Prediction
from outboard.validation.sampling import sample
from tests.validation.made import prediction

RATIOS = st.lists(st.one_of(st.none(), st.floats(0.01, 100)), min_size=1, max_size=60)


def test_a_small_group_by_hand() -> None:
    summary = summarise([prediction(1.1), prediction(0.8), prediction(1.0), prediction(2.0), prediction(None)])
    assert (summary.rows, summary.covered) == (5, 4)
    assert summary.median_ape == pytest.approx(0.15)
    assert summary.p90_ape == pytest.approx(0.2 + 0.7 * 0.8)  # 0, 0.1, 0.2, 1 at position 2.7
    assert summary.bias == pytest.approx(0.05)
    assert summary.band_coverage == 0.5


def test_what_is_unknown_is_none_and_never_zero() -> None:
    summary = summarise([prediction(None), prediction(None)])
    assert (summary.rows, summary.covered) == (2, 0)
    assert summary.median_ape is summary.p90_ape is summary.bias is summary.band_coverage is None
    assert summarise([]).median_ape is None


@given(RATIOS)
def test_laws_of_a_summary(ratios: list[float | None]) -> None:
    summary = summarise([prediction(ratio) for ratio in ratios])
    known = [ratio for ratio in ratios if ratio is not None]
    assert (summary.rows, summary.covered) == (len(ratios), len(known))
    if not known:
        return
    errors = np.abs(np.array(known) - 1.0)
    assert summary.median_ape is not None and summary.p90_ape is not None and summary.bias is not None
    assert summary.median_ape <= summary.p90_ape or math.isclose(summary.median_ape, summary.p90_ape)
    assert errors.min() <= summary.median_ape <= errors.max()
    assert abs(summary.bias) <= errors.max()
    assert summary.band_coverage == np.mean([1 / 1.2 <= ratio <= 1.2 for ratio in known])


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.floats(0.5, 2)), max_size=40))
def test_groups_share_out_all_rows(rows: list[tuple[str, str, float]]) -> None:
    made = [prediction(ratio, task=task, gpu=gpu) for task, gpu, ratio in rows]
    groups = grouped(made, ("task", "gpu"))
    assert sum(group.rows for group in groups) == len(rows)
    assert len({group.name for group in groups}) == len(groups)
    assert [group.rows for group in groups] == sorted((group.rows for group in groups), reverse=True)


def test_the_worst_come_first_and_only_what_is_covered() -> None:
    made = [prediction(1.1), prediction(None), prediction(0.2), prediction(3.0)]
    assert [one.outcome.forecast for one in worst(made, 2)] == [3.0, 0.2]


def _labelled(task: str, number: int) -> Prediction:
    return prediction(1.0, measured=number + 1.0, **dict.fromkeys(BY, "") | {"task": task})


@given(st.integers(1, 70), st.integers(0, 5))
def test_a_sample_gives_each_group_its_share(count: int, seed: int) -> None:
    cases = [_labelled("infer", n).case for n in range(45)] + [_labelled("train", n).case for n in range(15)]
    drawn = sample(cases, count, seed)
    assert len(drawn) == min(count, 60)
    assert drawn == sample(cases, count, seed)
    trained = sum(case.labels["task"] == "train" for case in drawn)
    assert abs(trained - len(drawn) / 4) <= 1


def test_another_seed_draws_others() -> None:
    cases = [_labelled("infer", n).case for n in range(200)]
    assert sample(cases, 20, 1) != sample(cases, 20, 2)
