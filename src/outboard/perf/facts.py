"""Reads the ``facts.toml`` of a room of this package: numbers that no data sheet holds, each with source and band."""

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


@cache
def table(room: str) -> dict[str, Fact]:
    """Every entry of the file beside the package ``room`` by its dotted path, such as ``"host.cores"``.

    Raises :class:`FileError` naming the entry that lacks a key or whose band is out of order.
    """
    text = files(room).joinpath(FILE).read_text(encoding="utf-8")
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
