"""Reads the tables beside this file: every figure with its date, source and confidence."""

import csv
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

from outboard.errors import UnknownNameError
from outboard.i18n import _
from outboard.types.evidence import Evidence, Fact

DATA = Path(__file__).parent / "data"

# Confidence as the tables say it -> what the number is worth. Remembered ones stay marked in the note.
WORTH = {
    "exact": Evidence.MEASURED_ELSEWHERE,
    "high": Evidence.MEASURED_ELSEWHERE,
    "medium": Evidence.DATASHEET,
    "medium-low": Evidence.ASSUMED,
    "low": Evidence.ASSUMED,
    "remembered": Evidence.ASSUMED,
    "assumption": Evidence.ASSUMED,
}


@lru_cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of table ``name``, read once."""
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@lru_cache
def toml(name: str) -> dict[str, Any]:
    """Return the parsed file ``name``."""
    return tomllib.loads((DATA / name).read_text(encoding="utf-8"))


def fact_of(row: dict[str, str], unit: str) -> Fact:
    """Return the low-central-high ``row`` as a fact; confidence decides the evidence, and date and doubt are said."""
    confidence = row["confidence"]
    doubt = "" if confidence in {"exact", "high", "medium"} else confidence
    note = "; ".join(part for part in (doubt, row.get("note", ""), row["date"]) if part)
    return Fact(
        float(row["central"]),
        unit,
        row["source"],
        WORTH[confidence],
        low=float(row["low"]),
        high=float(row["high"]),
        note=note,
    )


@lru_cache
def overheads() -> dict[str, Fact]:
    """Return every overhead by its id, e.g. ``electricity-es``, in the unit that the table states."""
    return {row["id"]: fact_of(row, row["unit"]) for row in rows("overheads.csv")}


def overhead(name: str) -> Fact:
    """Return one overhead.

    >>> overhead("electricity-es").value, overhead("electricity-es").unit, overhead("electricity-es").evidence.label
    (0.27, 'USD/kWh', 'assumed')
    """
    table = overheads()
    if name not in table:
        near = [known for known in table if known.split("-")[0] == name.split("-")[0]]
        raise UnknownNameError(_("overhead"), name, near)
    return table[name]
