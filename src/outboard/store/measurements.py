"""Rows of jobs that were run, with what was forecast of them."""

import json
import sqlite3

from outboard.types.measured import JobMeasurement

COLUMNS = "machine, device, job, quantity, value, low, high, forecast, cells, date"


def insert(connection: sqlite3.Connection, measured: list[JobMeasurement]) -> None:
    """Add measurements."""
    rows = [
        (
            *(one.machine, one.device, one.job, one.quantity, one.value, one.low, one.high, one.forecast),
            *(json.dumps(one.cells, sort_keys=True), one.date),
        )
        for one in measured
    ]
    connection.executemany(f"INSERT INTO measurement ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)


def every(connection: sqlite3.Connection) -> list[JobMeasurement]:
    """All of them, oldest first."""
    return [_read(row) for row in connection.execute(f"SELECT {COLUMNS} FROM measurement ORDER BY id")]


def last(connection: sqlite3.Connection, machine: str, device: str, job: str, quantity: str) -> JobMeasurement | None:
    """The newest of that job there."""
    query = f"SELECT {COLUMNS} FROM measurement WHERE machine = ? AND device = ? AND job = ? AND quantity = ?"
    row = connection.execute(f"{query} ORDER BY id DESC LIMIT 1", (machine, device, job, quantity)).fetchone()
    return None if row is None else _read(row)


def identity(one: JobMeasurement) -> str:
    """The same for a measurement and for what comes back of it through a file."""
    return json.dumps([f"{one.value:.9g}", one.cells], sort_keys=True)


def _read(row: tuple[object, ...]) -> JobMeasurement:
    machine, device, job, quantity, value, low, high, forecast, cells, date = row
    return JobMeasurement(
        *map(str, (machine, device, job, quantity)),  # type: ignore[arg-type]
        value=value,  # type: ignore[arg-type]
        cells=json.loads(str(cells)),
        low=low,  # type: ignore[arg-type]
        high=high,  # type: ignore[arg-type]
        forecast=forecast,  # type: ignore[arg-type]
        date=str(date),
    )
