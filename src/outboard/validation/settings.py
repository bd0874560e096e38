"""What published tables say in words only, as columns: read from ``settings.toml``, with the place that says so."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from outboard.validation.columns import OPTIONAL
from outboard.validation.measurement import Measurement

PATH = Path(__file__).with_name("settings.toml")
KEYS = frozenset({"source", "task", "workload", "note", "citation", "set", "replace"})


@dataclass(frozen=True)
class Rule:
    """Settings of the rows whose source begins with ``source``; the patterns are searched for where they are given."""

    source: str
    citation: str
    task: str = ""
    workload: str = ""  # regular expression
    note: str = ""  # regular expression
    set: Mapping[str, str] = field(default_factory=dict[str, str])  # for cells that are empty
    replace: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    def fits(self, row: Measurement) -> bool:
        """Whether the rule speaks about this row."""
        return (
            row.text("source").startswith(self.source)
            and self.task in ("", row.text("task"))
            and re.search(self.workload, row.workload) is not None
            and re.search(self.note, row.text("note")) is not None
        )


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, in the order of the file."""
    tables = tomllib.loads(PATH.read_text(encoding="utf-8"))["rule"]
    return tuple(_rule(table) for table in tables)


def _rule(table: dict[str, Any]) -> Rule:
    columns = {*table.get("set", {}), *table.get("replace", {})}
    unknown = (set(table) - KEYS) | (columns - {*OPTIONAL, "gpu", "workload"})
    if unknown:
        raise ValueError(f"{PATH.name}: unknown keys {sorted(unknown)}")
    return Rule(**table)


def settled(row: Measurement) -> dict[str, str]:
    """Every column of a row: as written, else as its source says elsewhere, else as goes without saying.

    Of several rules that fit, the later one wins. ``replace`` puts another word for what the table wrote.
    """
    written = {"workload": row.workload, "gpu": row.gpu, **{name: text for name, text in row.columns.items() if text}}
    fitting = [rule for rule in rules() if rule.fits(row)] if row.text("source") else []
    given: dict[str, str] = {}
    for rule in fitting:
        given |= rule.set
    found = {**OPTIONAL, **given, **written}
    for rule in fitting:
        for column, words in rule.replace.items():
            found[column] = words.get(found[column], found[column])
    return found
