"""What every executor must do. A test class inherits :class:`Contract` and says which executor it is about."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from outboard.executors.base import Executor
from outboard.keeper import processes
from outboard.types.run import GOING, OVER, Launch, RunSection, Seen

SECRET = "correct-horse-battery-staple"
NAMES = (
    "--help 'quote\"s `touch injected` $(touch injected) ;touch injected",
    "line\n#SBATCH --begin=2099-01-01\ntouch injected",
)


def launch(workdir: Path, name: str = "tiny", generation: int = 1, **said: Any) -> Launch:
    """A launch of the small script in ``workdir``."""
    given: dict[str, Any] = {
        "command": "python3 train.py",
        "checkpoints": "checkpoints",
        "outputs": ("results",),
        "files": ("train.py",),
        "slurm": {"memory": "100 MB", "notice": "5 s", "cpus": 1},
        "grace": "10 s",
        **said,
    }
    return Launch(
        id="run-1",
        name=name,
        generation=generation,
        section=RunSection.model_validate(given),
        workdir=workdir,
        vendor="cpu",
        total_samples=80.0,
        hours=0.01,
    )


class Contract:
    """Inherited by the tests of each executor."""

    patience = 60.0

    @pytest.fixture
    def executor(self, tmp_path: Path) -> Executor:
        """Which one."""
        raise NotImplementedError

    def until(self, executor: Executor, folder: str, reference: str, *states: str) -> Seen:
        """Wait for one of ``states``."""
        until = time.monotonic() + self.patience
        while (seen := executor.see(folder, reference)).state not in states:
            if time.monotonic() > until or seen.state in OVER:
                log = executor.log(folder).decode("utf-8", "replace")
                raise AssertionError(f"{seen.state} ({seen.why}), not {states}: {log}")
            time.sleep(0.1)
        return seen

    def started(self, executor: Executor, asked: Launch) -> tuple[str, str]:
        """Prepare and start."""
        executor.check()
        folder = executor.prepare(asked)
        return folder, executor.start(asked, folder)

    def test_runs_to_the_end_and_brings_back_what_it_made(
        self, executor: Executor, workdir: Path, expected: dict[str, object]
    ) -> None:
        folder, reference = self.started(executor, launch(workdir))
        seen = self.until(executor, folder, reference, "done")
        executor.fetch(folder, ("results", "absent"), workdir)
        assert json.loads((workdir / "results" / "final.json").read_text()) == expected
        assert seen.told["progress"]["samples"] == 80
        assert b"begins at step 0" in executor.log(folder)
        assert executor.log(folder, 7) == executor.log(folder)[7:]

    def test_goes_on_after_being_killed_and_ends_the_same(
        self, executor: Executor, workdir: Path, expected: dict[str, object]
    ) -> None:
        folder, reference = self.started(executor, launch(workdir, variables={"FAULTS": "torn"}))
        self.until(executor, folder, reference, "done")
        executor.fetch(folder, ("results",), workdir)
        assert json.loads((workdir / "results" / "final.json").read_text()) == expected
        assert b"begins at step 5" in executor.log(folder), "the torn checkpoint is passed over"

    def test_stops_when_asked_having_saved_and_is_started_again(
        self, executor: Executor, workdir: Path, expected: dict[str, object]
    ) -> None:
        asked = launch(workdir, variables={"EACH": "0.2", "EVERY": "1000"})
        folder, reference = self.started(executor, asked)
        self.until(executor, folder, reference, "running")
        self.progress(executor, folder, reference, 2)
        executor.stop(folder, reference)
        seen = self.until(executor, folder, reference, "stopped")
        step = seen.told["checkpoint"]["step"]
        assert 2 <= step < 20, "saved because it was asked to: it has no time of its own for that"
        again = launch(workdir, generation=2)
        assert executor.prepare(again) == folder
        reference = executor.start(again, folder)
        self.until(executor, folder, reference, "done")
        executor.fetch(folder, ("results",), workdir)
        assert json.loads((workdir / "results" / "final.json").read_text()) == expected
        assert f"begins at step {step}".encode() in executor.log(folder)

    def progress(self, executor: Executor, folder: str, reference: str, step: int) -> None:
        """Wait until it is so far."""
        until = time.monotonic() + self.patience
        while (executor.see(folder, reference).told.get("progress") or {}).get("step", 0) < step:
            assert time.monotonic() < until, executor.log(folder)
            time.sleep(0.1)

    def test_is_ended_at_once_without_saving(self, executor: Executor, workdir: Path) -> None:
        folder, reference = self.started(executor, launch(workdir, variables={"EACH": "5"}))
        self.until(executor, folder, reference, "running")
        executor.stop(folder, reference, now=True)
        self.until(executor, folder, reference, "stopped")
        assert not self.left(folder)

    def left(self, folder: str) -> list[int]:
        """What still runs of it, after a moment for it to go."""
        until = time.monotonic() + 10.0
        while (found := processes.leftovers(folder)) and time.monotonic() < until:
            time.sleep(0.1)
        return found

    def test_gives_up_on_what_fails_the_same_way_again(self, executor: Executor, workdir: Path) -> None:
        folder, reference = self.started(executor, launch(workdir, tries=2, variables={"FAULTS": "always"}))
        seen = self.until(executor, folder, reference, "failed")
        assert "2 times the same: ValueError: something is wrong" in seen.why
        assert seen.told["attempt"] == 2

    @pytest.mark.parametrize("name", NAMES)
    def test_no_name_becomes_a_command(self, executor: Executor, workdir: Path, name: str) -> None:
        awkward = {"FAULTS": name, "TOTAL": "1", "EACH": "0"}
        (workdir / name.replace("/", "")).touch()
        files = ("train.py", name) if name.isprintable() else ("train.py",)
        asked = launch(workdir, name, variables=awkward, files=files, checkpoints=None, outputs=())
        asked = Launch(**{**vars(asked), "total_samples": None})
        folder, reference = self.started(executor, asked)
        self.until(executor, folder, reference, "done")
        assert not list(workdir.parent.rglob("injected"))
        assert not Path("injected").exists()

    def test_secrets_reach_the_script_and_no_file(
        self, executor: Executor, workdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = launch(workdir, secrets=("TOKEN",))
        asked = Launch(**{**vars(asked), "secrets": {"TOKEN": SECRET}})
        assert SECRET not in executor.script(asked)
        assert SECRET not in repr(asked)
        folder, reference = self.started(executor, asked)
        self.until(executor, folder, reference, "done")
        assert f"{len(SECRET)} characters of a secret".encode() in executor.log(folder)
        for path in [*tmp_path.rglob("*"), *Path(folder).rglob("*")]:
            if path.is_file():
                assert SECRET.encode() not in path.read_bytes(), path

    def test_only_the_owner_reads_a_run(self, executor: Executor, workdir: Path) -> None:
        folder, reference = self.started(executor, launch(workdir))
        self.until(executor, folder, reference, "done")
        assert Path(folder).stat().st_mode & 0o777 == 0o700
        for path in Path(folder).iterdir():
            if path.is_file():
                assert path.stat().st_mode & 0o077 == 0, path

    def test_carries_state_from_another_place(
        self, executor: Executor, workdir: Path, tmp_path: Path, expected: dict[str, object]
    ) -> None:
        elsewhere = tmp_path / "elsewhere"
        asked = launch(workdir, variables={"EACH": "0.3"})
        folder, reference = self.started(executor, asked)
        self.progress(executor, folder, reference, 6)
        executor.stop(folder, reference)
        seen = self.until(executor, folder, reference, "stopped")
        executor.fetch(folder, ("checkpoints",), elsewhere)
        assert list((elsewhere / "checkpoints").glob("step-*.pt"))
        executor.forget(folder)
        assert not Path(folder).exists()
        for path in (workdir / "checkpoints").glob("*"):
            path.unlink()
        state = {"progress": seen.told["progress"], "seconds": 100.0, "state": "prepared"}
        moved = Launch(**{**vars(launch(workdir, generation=2)), "seen": state})
        folder = executor.prepare(moved)
        executor.carry(moved, folder, elsewhere, ("checkpoints", "absent"))
        reference = executor.start(moved, folder)
        seen = self.until(executor, folder, reference, "done")
        executor.fetch(folder, ("results",), workdir)
        assert json.loads((workdir / "results" / "final.json").read_text()) == expected
        assert seen.told["seconds"] > 100.0

    def test_a_run_that_nobody_started_is_prepared(self, executor: Executor, workdir: Path) -> None:
        folder = executor.prepare(launch(workdir))
        assert executor.see(folder, "").state not in GOING
        assert executor.log(folder) == b""
