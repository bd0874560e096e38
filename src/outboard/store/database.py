"""The file itself: where it lies, who may read it, and how it is opened."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from outboard.errors import FileError
from outboard.i18n import _
from outboard.store import figures, measurements, runs
from outboard.store.schema import migrate
from outboard.types.measured import Figure, JobMeasurement
from outboard.types.run import Run

VARIABLE = "OUTBOARD_DATA_DIR"
NAME = "outboard.db"
PATIENCE = 30.0  # how long to wait for another process that writes [s]


def path() -> Path:
    """The file: in the folder that ``OUTBOARD_DATA_DIR`` names, else in the user's data folder."""
    chosen = os.environ.get(VARIABLE)
    if not chosen:
        import platformdirs

        chosen = platformdirs.user_data_dir("outboard", appauthor=False)
    return Path(chosen) / NAME


class Store:
    """Reads and writes the file. Each call is one transaction, so that a killed process loses at most its last one.

    Raises :class:`~outboard.errors.FileError` for a file that is no store. Reading where there is none finds nothing
    and creates nothing.
    """

    def __init__(self, where: Path | None = None) -> None:
        self.path = where or path()

    def save_figure(self, machine: str, machine_name: str, figure: Figure) -> None:
        """Keep one figure; the newest of a name is the one in force."""
        with self._writing() as connection:
            figures.insert(connection, machine, machine_name, figure)

    def figures(self, machine: str, device: str = "cpu") -> dict[str, Figure]:
        """The newest figure of each name."""
        with self._reading() as connection:
            return {} if connection is None else figures.newest(connection, machine, device)

    def save_measurement(self, measured: JobMeasurement) -> None:
        """Keep a job's measurement beside its forecast."""
        with self._writing() as connection:
            measurements.insert(connection, [measured])

    def save_measurements(self, measured: list[JobMeasurement]) -> int:
        """Keep all of them or none; those that are there already are left out. Returns how many are new."""
        with self._writing() as connection:
            known = {measurements.identity(one) for one in measurements.every(connection)}
            new = [one for one in measured if measurements.identity(one) not in known]
            measurements.insert(connection, new)
            return len(new)

    def measurements(self) -> list[JobMeasurement]:
        """Every measurement, oldest first."""
        with self._reading() as connection:
            return [] if connection is None else measurements.every(connection)

    def last(self, machine: str, device: str, job: str, quantity: str) -> JobMeasurement | None:
        """The newest measurement of that job on that device of that machine."""
        with self._reading() as connection:
            return None if connection is None else measurements.last(connection, machine, device, job, quantity)

    def add_run(self, run: Run) -> None:
        """Keep a new run."""
        with self._writing() as connection:
            runs.insert(connection, run)

    def save_run(self, run: Run) -> bool:
        """Keep what is known of a run now; False where someone has started it anew meanwhile."""
        with self._writing() as connection:
            return runs.replace(connection, run)

    def claim_run(self, run: Run) -> bool:
        """Be the one who starts this run anew, in the generation that it has now; False where another was first."""
        with self._writing() as connection:
            return runs.claim(connection, run)

    def forget_run(self, id: str) -> None:
        """Remove a run."""
        with self._writing() as connection:
            runs.remove(connection, id)

    def runs(self) -> list[Run]:
        """Every run, the newest first."""
        with self._reading() as connection:
            return [] if connection is None else runs.every(connection)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        if not self.path.exists():
            yield None
            return
        with self._connection() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        self._create()
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def _create(self) -> None:
        """An empty file that only its owner can read, before SQLite makes one by its own rules."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise FileError(self.path, _("cannot be written: {reason}").format(reason=error.strerror)) from error

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)) as connection:
                _prepare(connection)
                migrate(connection, self.path)
                yield connection
        except sqlite3.Error as error:
            right = _("move the file away to start anew, or name another folder in OUTBOARD_DATA_DIR")
            raise FileError(self.path, _("cannot be used: {reason}").format(reason=error), right=right) from error


def _prepare(connection: sqlite3.Connection) -> None:
    """Write-ahead log, flushed at each commit. Changing to it waits for nobody by itself, so that we have to."""
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    until = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
