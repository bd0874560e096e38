"""Held-out residuals of the time model by regime, read from ``residuals.toml``."""

import math
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("residuals.toml")


@cache
def table() -> dict[str, Any]:
    """The whole file."""
    with PATH.open("rb") as file:
        return tomllib.load(file)


def measured(architecture: str) -> bool:
    """Whether whole models were measured on this GPU architecture when the time model was fitted."""
    return _among(architecture, "measured")


def issue_sigma() -> float:
    """Standard deviation of ln(issue time) between hosts [1]."""
    return float(table()["host"]["issue"])


def step_sigma(task: str, architecture: str, workload_like_measured: bool) -> float:
    """Standard deviation of ln(measured/forecast) of step time [1] for a task on a GPU architecture.

    Models of another kind than the ones measured (vision networks) and libraries of other vendors add their own.
    """
    phase = "infer" if task == "infer" else "train"
    regime = table()[phase]
    base = float(regime["measured_architecture" if measured(architecture) else "other_architecture"])
    kind = float(table()["workload"]["like_measured" if workload_like_measured else f"other_{phase}"])
    vendor = next((float(sigma) for name, sigma in table()["vendor"].items() if _among(architecture, name)), 0.0)
    return math.hypot(base, kind, vendor)


def _among(architecture: str, which: str) -> bool:
    return any(architecture.startswith(known) for known in table()["architectures"][which])


def write(spreads: Mapping[tuple[str, str], float]) -> None:
    """Put freshly measured spreads, by (task, regime), into the file that ships; the rest of it stays."""
    text = PATH.read_text(encoding="utf-8")
    for (task, regime), sigma in spreads.items():
        pattern = rf"(\[{task}\]\n(?:[^\n\[]+\n)*?{regime} = )[^\n]*"
        text = re.sub(pattern, rf"\g<1>{sigma:.3f}", text)
    PATH.write_text(text, encoding="utf-8")
