"""The power limit of the board: many boards cannot run all their units at the rated clock."""

import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from outboard.types.hardware import Device

PATH = Path(__file__).with_name("power.toml")
# Energy of a matrix operation grows with the width of its operands [1]; the table holds fp16.
WIDTH = {"fp64": 4.0, "fp32": 2.0, "tf32": 2.0, "fp8": 0.5, "int8": 0.5}


@cache
def table() -> dict[str, dict[str, Any]]:
    """The whole file."""
    with PATH.open("rb") as file:
        return tomllib.load(file)


def sustained(device: Device, rate: float, dtype: str, matrix: bool) -> float:
    """``rate`` as far as the power limit of the board allows: the 4-norm minimum of it and limit x FLOP/J [FLOP/s]."""
    entry = next((entry for name, entry in table().items() if device.architecture.startswith(name)), None)
    if entry is None or device.tdp is None:
        return rate
    per_joule = float(entry["matrix"]) / WIDTH.get(dtype, 1.0) if matrix else float(entry["vector"])
    if not matrix and dtype == "fp64":
        per_joule /= 2.0
    limit = device.tdp.value * per_joule
    return limit if math.isinf(rate) else rate / (1.0 + (rate / limit) ** 4) ** 0.25
