"""Rows of runs."""

import json
import sqlite3
from dataclasses import astuple

from outboard.types.run import Run

COLUMNS = (
    "id, name, place_where, place, reference, folder, generation, state, why, created, job, forecast, told, fallback"
)
PLAIN = 10  # columns before those that hold JSON


def insert(connection: sqlite3.Connection, run: Run) -> None:
    """Add a run. Raises :class:`sqlite3.IntegrityError` where its id is taken."""
    connection.execute(f"INSERT INTO run ({COLUMNS}) VALUES ({', '.join('?' * 14)})", _row(run))


def replace(connection: sqlite3.Connection, run: Run) -> bool:
    """Write a run again; False where a later generation has been written meanwhile, which stands."""
    assigned = ", ".join(f"{name} = ?" for name in COLUMNS.split(", "))
    query = f"UPDATE run SET {assigned} WHERE id = ? AND generation <= ?"
    return connection.execute(query, (*_row(run), run.id, run.generation)).rowcount == 1


def claim(connection: sqlite3.Connection, run: Run) -> bool:
    """Write a run's next generation; False for all but the first of those who try at once."""
    assigned = ", ".join(f"{name} = ?" for name in COLUMNS.split(", "))
    query = f"UPDATE run SET {assigned} WHERE id = ? AND generation = ?"
    return connection.execute(query, (*_row(run), run.id, run.generation - 1)).rowcount == 1


def every(connection: sqlite3.Connection) -> list[Run]:
    """All of them, the newest first."""
    return [_read(row) for row in connection.execute(f"SELECT {COLUMNS} FROM run ORDER BY created DESC, rowid DESC")]


def remove(connection: sqlite3.Connection, id: str) -> None:
    """Forget a run."""
    connection.execute("DELETE FROM run WHERE id = ?", (id,))


def _row(run: Run) -> tuple[object, ...]:
    values = astuple(run)
    return (*values[:PLAIN], *(json.dumps(value, sort_keys=True) for value in values[PLAIN:]))


def _read(row: tuple[object, ...]) -> Run:
    job, forecast, told, fallback = (json.loads(str(value)) for value in row[PLAIN:])
    return Run(*row[:PLAIN], job, forecast, told, tuple(fallback))  # type: ignore[arg-type]
