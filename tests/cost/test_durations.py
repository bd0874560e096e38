"""Horizons and waits as people state them."""

import pytest

from outboard.cost.durations import horizon_years, wait_hours
from outboard.errors import UsageError


@pytest.mark.parametrize("value", ["0 months", "-1 year", 24, "24", "two years", None, "24 parsecs"])
def test_a_wrong_horizon_names_key_value_and_right_form(value: object) -> None:
    with pytest.raises(UsageError) as wrong:
        horizon_years(value, path="me.yaml")
    message = str(wrong.value)
    assert message.startswith(f"me.yaml: horizon: '{value}'")
    assert message.endswith("write it like '24 months'") and "\n" not in message


@pytest.mark.parametrize(
    "value", ["a long time", "24 h .. 1 h", "1 h .. 2 h .. 3 h", 5, "-1 h .. 2 h", ["1 h"], "1 .. 2"]
)
def test_a_wrong_wait_names_key_value_and_right_form(value: object) -> None:
    with pytest.raises(UsageError, match=r"me\.yaml: access\.slurm\.wait: .*write it like '1 h \.\. 24 h'"):
        wait_hours(value, "access.slurm.wait", "me.yaml")


def test_waits() -> None:
    assert wait_hours("90 min").value == 1.5
    empty_queue = wait_hours("0 h .. 8 h")
    assert empty_queue.low is not None and 0 < empty_queue.low < 0.1
    assert horizon_years("2 years") == 2.0
