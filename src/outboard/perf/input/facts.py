"""Reads ``facts.toml``: what cores, disks, cables and staging buffers do, each number with its source and band."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from outboard.errors import FileError
from outboard.i18n import _
from outboard.types.evidence import Evidence, Fact

FILE = "facts.toml"
KEYS = {"value", "low", "high", "unit", "source", "evidence"}
EVIDENCE = {level.label: level for level in Evidence}


def fact(where: str) -> Fact:
    """The entry at a dotted path such as ``"host.cores"``. Raises KeyError for one that does not exist."""
    return table()[where]


def known(where: str) -> Fact | None:
    """The same, or None: nobody knows, or it costs nothing."""
    return table().get(where)


@cache
def table() -> dict[str, Fact]:
    """Every entry by its dotted path."""
    text = files("outboard.perf.input").joinpath(FILE).read_text(encoding="utf-8")
    return dict(_flat(tomllib.loads(text), ""))


def _flat(entries: dict[str, Any], prefix: str) -> list[tuple[str, Fact]]:
    found: list[tuple[str, Fact]] = []
    for name, entry in entries.items():
        where = f"{prefix}{name}"
        found += [(where, _fact(where, entry))] if "value" in entry else _flat(entry, where + ".")
    return found


def _fact(where: str, entry: dict[str, Any]) -> Fact:
    if set(entry) != KEYS:
        listed = ", ".join(sorted(entry))
        raise FileError(FILE, _("keys are {found}").format(found=listed), where, ", ".join(sorted(KEYS)))
    value, low, high = (float(entry[key]) for key in ("value", "low", "high"))
    if not low <= value <= high:
        raise FileError(FILE, _("low, value and high are out of order"), where)
    return Fact(value, str(entry["unit"]), str(entry["source"]), EVIDENCE[str(entry["evidence"])], low, high)
