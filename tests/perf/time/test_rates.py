"""Which rate applies where the type is missing, and what the board's power limit leaves of it."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from outboard.perf.time import coefficients
from outboard.perf.time.power import sustained, table
from outboard.perf.time.rates import matrix_rate, memory_bandwidth, vector_rate
from outboard.types.evidence import Evidence, Fact

Make = Callable[..., Any]


def fact(value: float) -> Fact:
    return Fact(value, "FLOP/s", "test", Evidence.DATASHEET)


def test_types_that_exist_use_their_matrix_units(device: Make) -> None:
    assert matrix_rate(device(), "fp16") == (71e12, True)


def test_missing_types_fall_back(device: Make) -> None:
    old = device(matmul={}, vector={"fp32": fact(12e12), "fp16": fact(12e12 / 64), "fp64": fact(0.4e12)})
    half = coefficients.load().half_emulation * 12e12
    assert matrix_rate(old, "tf32") == (12e12, False)
    assert matrix_rate(old, "bf16") == (half, False)
    assert matrix_rate(old, "fp16") == (half, False)
    assert matrix_rate(old, "fp64") == (0.4e12, False)


def test_fast_half_units_are_used(device: Make) -> None:
    tesla = device(matmul={}, vector={"fp32": fact(9e12), "fp16": fact(18e12)})
    assert matrix_rate(tesla, "fp16") == (18e12, False)


def test_an_unknown_rate_is_not_a_number(device: Make) -> None:
    assert math.isnan(vector_rate(device(vector={}), "fp32"))
    assert math.isnan(vector_rate(device(vector={"fp32": fact(1e12)}), "fp64"))


def test_a_board_with_little_power_sustains_less(device: Make) -> None:
    t4 = device(architecture="turing", tdp=Fact(70, "W", "test", Evidence.DATASHEET))
    assert sustained(t4, 8.1e12, "fp32", matrix=False) < 0.65 * 8.1e12
    assert sustained(device(architecture="nobody-knows"), 8.1e12, "fp32", matrix=False) == 8.1e12
    assert sustained(device(tdp=None), 8.1e12, "fp32", matrix=False) == 8.1e12


@pytest.mark.parametrize("name", list(table()))
def test_every_power_figure_has_a_source(name: str) -> None:
    entry = table()[name]
    assert entry["source"].strip()
    assert entry["matrix"] >= entry["vector"] > 1e10


def test_old_datacentre_boards_lose_bandwidth_to_error_correction(device: Make) -> None:
    t4 = device(architecture="turing", kind="datacentre")
    assert memory_bandwidth(t4) < t4.memory_bandwidth.value
    assert memory_bandwidth(device()) == device().memory_bandwidth.value


def test_coefficients_lie_in_their_ranges_and_say_what_they_are() -> None:
    for name, entry in coefficients.table().items():
        low, high = entry["range"]  # type: ignore[misc]
        assert low <= float(str(entry["value"])) <= high, name
        assert entry["meaning"], name
        assert entry["evidence"] in ("fitted", "assumed", "datasheet"), name
        assert entry["provenance"] != "prior", f"{name} is still a guess"
