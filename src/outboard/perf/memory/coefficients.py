"""Reads ``coefficients.toml``: the numbers of the memory model that no trace holds, each with source and band."""

import tomllib
from functools import cache
from importlib.resources import files

from outboard.errors import FileError
from outboard.i18n import _
from outboard.types.evidence import Evidence, Fact

FILE = "coefficients.toml"
UNITLESS = {"convolution", "attention", "usable", "fragmentation", "residual", "gathered", "travelling"}
KEYS = {"value", "low", "high", "source", "evidence"}
EVIDENCE = {level.label: level for level in Evidence}


@cache
def coefficient(group: str, name: str) -> Fact:
    """The entry of ``group`` whose name is the longest beginning of ``name``, else the group's ``default``."""
    table = _tables()[group]
    fitting = [key for key in table if name.lower().startswith(key)]
    return table[max(fitting, key=len)] if fitting else table["default"]


@cache
def _tables() -> dict[str, dict[str, Fact]]:
    text = files("outboard.perf.memory").joinpath(FILE).read_text(encoding="utf-8")
    return {
        group: {name: _fact(group, name, entry) for name, entry in entries.items()}
        for group, entries in tomllib.loads(text).items()
    }


def _fact(group: str, name: str, entry: dict[str, float | str]) -> Fact:
    where = f"{group}.{name}"
    if set(entry) != KEYS:
        raise FileError(
            FILE, _("keys are {found}").format(found=", ".join(sorted(entry))), where, ", ".join(sorted(KEYS))
        )
    value, low, high = (float(entry[key]) for key in ("value", "low", "high"))
    if not low <= value <= high:
        raise FileError(FILE, _("low, value and high are out of order"), where)
    unit = "1" if group in UNITLESS else "B"
    return Fact(value, unit, str(entry["source"]), EVIDENCE[str(entry["evidence"])], low, high)
