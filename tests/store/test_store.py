"""The store with real processes: permissions, two writers at once, kill -9, every released schema."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from outboard.errors import FileError
from outboard.store import Store
from outboard.store.schema import migrate, migrations
from outboard.types.measured import Figure, JobMeasurement

FIGURE = Figure("matmul.fp32", 1e11, 0.9e11, 1.1e11, "FLOP/s", 3, date="2026-12-01")
WRITER = """
import sys
from pathlib import Path
from outboard.store import Store
from outboard.types.measured import Figure
store = Store(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    store.save_figure("m", "machine", Figure(f"{sys.argv[2]}.{number}", 1.0, 1.0, 1.0, "s", 1, date="2026-12-01"))
    print(number, flush=True)
"""


def measured(value: float) -> JobMeasurement:
    return JobMeasurement("m", "cpu", "key", "step_time", value, {"workload": "timm:x", "gpu": "cpu"}, forecast=1.0)


def writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_the_newest_figure_is_in_force_and_only_the_owner_reads_it(tmp_path):
    store = Store(tmp_path / "data" / "outboard.db")
    store.save_figure("m", "machine", Figure("matmul.fp32", 1.0, 1.0, 1.0, "FLOP/s", 1))
    store.save_figure("m", "machine", FIGURE)
    assert store.figures("m") == {"matmul.fp32": FIGURE}
    assert store.figures("other") == {}
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700


def test_reading_creates_nothing(tmp_path):
    store = Store(tmp_path / "none" / "outboard.db")
    assert store.figures("m") == {} and store.measurements() == []
    assert not store.path.parent.exists()


def test_the_error_of_a_forecast_is_kept_and_the_last_measurement_found(tmp_path):
    store = Store(tmp_path / "outboard.db")
    store.save_measurement(measured(2.0))
    store.save_measurement(measured(4.0))
    last = store.last("m", "cpu", "key", "step_time")
    assert last is not None and last.value == 4.0 and last.error == -0.75
    assert store.save_measurements([measured(4.0), measured(5.0)]) == 1


def test_two_processes_write_at_once_from_an_empty_folder(tmp_path):
    both = [writer(tmp_path / "data" / "outboard.db", name, 25) for name in "ab"]
    for one in both:
        one.communicate(timeout=120)
    assert [one.returncode for one in both] == [0, 0]
    assert len(Store(tmp_path / "data" / "outboard.db").figures("m")) == 50


@pytest.mark.parametrize("lines", [0, 1, 7])
def test_what_was_saved_before_kill_9_is_there(tmp_path, lines):
    path = tmp_path / "outboard.db"
    with writer(path, "a", 100_000) as one:
        assert one.stdout is not None
        for _line in range(lines):
            one.stdout.readline()
        os.kill(one.pid, signal.SIGKILL)
        said = lines + sum(1 for _line in one.stdout)
    store = Store(path)
    found = store.figures("m")
    assert len(found) in (said, said + 1)  # killed between the commit and the word of it
    store.save_figure("m", "machine", FIGURE)
    assert len(store.figures("m")) == len(found) + 1
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


@pytest.mark.parametrize("version", range(1, len(migrations())))
def test_a_file_of_each_released_schema_keeps_its_rows(tmp_path, version):
    path = tmp_path / "outboard.db"
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, path, upto=version)
    connection.execute("INSERT INTO machine VALUES ('m', 'machine', '2026-12-01')")
    connection.execute(
        "INSERT INTO figure VALUES"
        " (1, 'm', 'cpu', 'matmul.fp32', 1e11, 0.9e11, 1.1e11, 'FLOP/s', 3, '2026-12-01', '{}')"
    )
    connection.close()
    store = Store(path)
    assert store.figures("m") == {"matmul.fp32": FIGURE}
    store.save_measurement(measured(1.0))
    assert len(store.measurements()) == 1


def test_a_file_of_a_newer_program_and_one_that_is_no_store_are_named(tmp_path):
    path = tmp_path / "outboard.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(FileError, match="schema 99"):
        Store(path).figures("m")
    path.write_text("no database at all" * 100)
    with pytest.raises(FileError, match=r"outboard\.db.*OUTBOARD_DATA_DIR"):
        Store(path).figures("m")
