"""The day as of which prices are aged."""

from datetime import date

import pytest

from outboard import clock
from outboard.errors import UsageError


def test_a_named_day_is_taken_and_a_wrong_one_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(clock.VARIABLE, "2026-12-01")
    assert clock.today() == date(2026, 12, 1)
    monkeypatch.setenv(clock.VARIABLE, "tomorrow")
    with pytest.raises(UsageError, match="'tomorrow' is not a date"):
        clock.today()
    monkeypatch.delenv(clock.VARIABLE)
    assert clock.today() == date.today()
