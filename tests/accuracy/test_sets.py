"""The model stays under its ceilings on the sample that is stored, and the report is of the model that is here."""

import json
from functools import cache

import pytest
from accuracy.scores import Errors, Score, errors

from accuracy import baselines, fingerprint, report, sample, sets


@cache
def scored() -> dict[str, list[Score]]:
    return {name: sets.JUDGES[name](subjects) for name, subjects in sample.subjects().items()}


@pytest.mark.parametrize("name", sample.SIZES)
def test_the_sample_stays_under_its_ceiling(name: str) -> None:
    goal = next(goal for goal in sets.goals() if goal.name == name)
    assert goal.sample is not None
    reached = errors(scored()[name])
    assert reached.median <= goal.sample[0] and reached.p90 <= goal.sample[1], reached


def test_the_sample_is_wide() -> None:
    rows = [one for group in scored().values() for one in group]
    assert len(rows) >= 140
    assert len({one.gpu for one in rows}) >= 12 and len({one.what.split(",")[0] for one in rows}) >= 30


def test_the_band_holds_four_rows_in_five() -> None:
    rows = [one for group in scored().values() for one in group]
    assert 0.70 <= errors(rows).inside <= 0.93


@pytest.mark.parametrize("method", baselines.METHODS)
def test_it_beats_what_people_would_use_otherwise(method: str) -> None:
    rows = [one for group in scored().values() for one in group]
    assert errors(rows).median < 0.6 * errors(rows, method).median


def test_the_report_is_of_this_model() -> None:
    stored = json.loads(report.REACHED.read_text(encoding="utf-8"))
    assert stored["model"] == fingerprint.of_model(), "make accuracy"
    assert f"`{fingerprint.of_model()}`" in report.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("goal", sets.goals(), ids=lambda goal: goal.name)
def test_the_whole_set_stays_under_its_ceiling(goal: sets.Goal) -> None:
    reached = Errors(**json.loads(report.REACHED.read_text(encoding="utf-8"))["sets"][goal.name])
    assert goal.holds(reached), reached


@pytest.mark.parametrize("goal", sets.goals(), ids=lambda goal: goal.name)
def test_a_ceiling_is_never_below_what_is_to_be_reached_when_that_is_missed(goal: sets.Goal) -> None:
    assert 0 < goal.median < goal.p90 < 1
    assert goal.ceiling[0] < goal.ceiling[1]


def test_every_worst_row_has_a_reason_or_says_that_nobody_looked() -> None:
    lines = report.REASONS.read_text(encoding="utf-8").splitlines()
    assert all(line.split()[0] in ("slow", "fast") and ": " in line for line in lines)
