"""What people read about several forecasts."""

import pytest

from outboard.cli.render.compare import render
from tests.cli import made

PLACES = ("rtx-4090@pcie4-x16", "rtx-3090@tb3", "rtx-3060-12gb@tb3")


def test_the_fastest_place_comes_first_and_the_rest_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    render([made.estimate(place=place) for place in PLACES], limit=2)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Fits at 3 of 3 places; fastest: rtx-4090@pcie4-x16, 213 images/s")
    assert lines[-1].startswith("Shown 2 of 3")
    assert not any(line.startswith(PLACES[2]) for line in lines)
    assert max(map(len, lines)) <= 80


def test_a_job_that_fits_nowhere_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    render([made.estimate(verdict="does_not_fit")], limit=None)
    assert capsys.readouterr().out.startswith("Fits at none of 1 places.")
