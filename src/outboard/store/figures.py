"""Rows of measured figures."""

import json
import sqlite3

from outboard.types.measured import Figure

NEWEST = """
SELECT name, value, low, high, unit, repetitions, device, date, versions FROM figure
WHERE id IN (SELECT max(id) FROM figure WHERE machine = ? AND device = ? GROUP BY name) ORDER BY name
"""


def insert(connection: sqlite3.Connection, machine: str, name: str, figure: Figure) -> None:
    """Add a figure, and its machine where it is new."""
    connection.execute("INSERT OR IGNORE INTO machine VALUES (?, ?, ?)", (machine, name, figure.date))
    row = (machine, figure.device, figure.name, figure.value, figure.low, figure.high, figure.unit)
    connection.execute(
        "INSERT INTO figure (machine, device, name, value, low, high, unit, repetitions, date, versions)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*row, figure.repetitions, figure.date, json.dumps(figure.versions, sort_keys=True)),
    )


def newest(connection: sqlite3.Connection, machine: str, device: str) -> dict[str, Figure]:
    """The newest figure of each name."""
    rows = connection.execute(NEWEST, (machine, device)).fetchall()
    return {row[0]: Figure(*row[:8], versions=json.loads(row[8])) for row in rows}
