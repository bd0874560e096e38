"""A process that was given up commits and removes nothing more."""

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import outboard as ob  # noqa: E402
from outboard.errors import CheckpointError, SupersededError  # noqa: E402
from outboard.resuming import folders, lease  # noqa: E402
from tests.resuming.conftest import Start  # noqa: E402
from tests.resuming.scripts import wait_for  # noqa: E402


def steps(folder: Path) -> list[int]:
    return [one.step for one in folders.committed(folder)]


def generation(number: int) -> dict[str, str]:
    return {"OUTBOARD_GENERATION": str(number)}


def test_an_old_process_saves_nothing_more(start: Start, tmp_path: Path) -> None:
    folder, ready, go = tmp_path / "c", tmp_path / "ready", tmp_path / "go"
    old = start("saves", generation(10001), folder=folder, until=9, ready=ready, go=go)
    wait_for(ready)
    assert start("saves", generation(10002), folder=folder, until=3).wait() == 0
    before = sorted(folder.rglob("*"))
    go.touch()
    assert old.wait() == 1
    assert "SupersededError" in old.said()
    assert "generation 10002, writes checkpoints here now; this one, generation 10001, is older" in old.said()
    assert sorted(folder.rglob("*")) == before
    assert steps(folder) == [3, 2, 1]


def test_it_does_not_commit_what_it_had_written_already(start: Start, tmp_path: Path) -> None:
    folder, ready, go = tmp_path / "c", tmp_path / "ready", tmp_path / "go"
    assert start("saves", generation(1), folder=folder, until=1).wait() == 0
    old = start("slow_commit", generation(2), folder=folder, ready=ready, go=go)
    wait_for(ready)
    new = start("saves", generation(3), folder=folder, until=4)
    assert new.wait() == 0, new.said()
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    go.touch()
    assert old.wait() == 1
    assert "SupersededError" in old.said(), old.said()
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()} == before
    assert steps(folder) == [4, 3, 2]


def test_it_removes_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTBOARD_GENERATION", "1")
    with ob.Checkpoint(tmp_path) as checkpoint:
        for step in (1, 2, 3):
            checkpoint.save(step, step, {"a": 1})
    old = lease.Lease(tmp_path)
    old.take()
    monkeypatch.setenv("OUTBOARD_GENERATION", "2")
    lease.Lease(tmp_path).take()
    with pytest.raises(SupersededError):
        folders.tidy(tmp_path, 1, old, set())
    assert steps(tmp_path) == [3, 2, 1]


def test_an_old_process_cannot_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTBOARD_GENERATION", "5")
    with ob.Checkpoint(tmp_path) as checkpoint:
        checkpoint.save(1, 1, {"a": 1})
    monkeypatch.setenv("OUTBOARD_GENERATION", "4")
    with ob.Checkpoint(tmp_path) as checkpoint:
        with pytest.raises(SupersededError):
            checkpoint.restore({"a": 1})
        with pytest.raises(SupersededError):
            checkpoint.save(2, 2, {"a": 1})
        assert checkpoint.load() is not None  # reading takes nothing from anybody
    assert steps(tmp_path) == [1]


def test_outside_a_run_the_last_one_to_save_goes_on(start: Start, tmp_path: Path) -> None:
    folder, ready, go = tmp_path / "c", tmp_path / "ready", tmp_path / "go"
    old = start("saves", folder=folder, until=9, ready=ready, go=go)
    wait_for(ready)
    assert ob.Checkpoint(folder).restore({"value": torch.zeros(1000)}) == (1, 1)  # only looks
    assert start("saves", folder=folder, until=2).wait() == 0
    go.touch()
    assert old.wait() == 1
    assert "SupersededError" in old.said()
    assert steps(folder) == [2, 1]


def test_a_new_start_of_the_run_goes_before_whoever_wrote_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = []
    for number in ("10001", None, None, "10002"):
        if number is None:
            monkeypatch.delenv("OUTBOARD_GENERATION", raising=False)
        else:
            monkeypatch.setenv("OUTBOARD_GENERATION", number)
        turns.append(lease.Lease(tmp_path).take())
    assert turns == sorted(set(turns))
    assert [str(turn) for turn in turns] == ["10001", "10001.1", "10001.2", "10002"]


def test_leftovers_of_old_generations_are_removed_and_those_of_newer_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (".step-00000001.1.0.abcd", ".step-00000001.7.0.abcd", ".removed-step-00000001-ab"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "state.pt").write_bytes(b"torn")
    monkeypatch.setenv("OUTBOARD_GENERATION", "3")
    with ob.Checkpoint(tmp_path) as checkpoint:
        checkpoint.save(1, 1, {"a": 1})
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith((".step", ".rem"))] == [
        ".step-00000001.7.0.abcd"
    ]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"generation": "x"}'])
def test_a_lease_that_cannot_be_read_is_taken(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / lease.FILE).write_text(text)
    monkeypatch.setenv("OUTBOARD_GENERATION", "3")
    assert lease.Lease(tmp_path).take() == (3, 0)
    told = json.loads((tmp_path / lease.FILE).read_text())
    assert (told["generation"], told["turn"]) == (3, 0)


def test_a_generation_that_is_no_number_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTBOARD_GENERATION", "soon")
    with pytest.raises(CheckpointError, match="OUTBOARD_GENERATION: 'soon' is not a whole number"):
        ob.Checkpoint(tmp_path).restore({})


def test_a_fork_does_not_hold_the_lock_on(tmp_path: Path, start: Start) -> None:
    process = start("forks_while_locked", folder=tmp_path)
    assert process.wait() == 0, process.said()


def test_a_lock_that_is_held_too_long_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "PATIENCE", 0.1)
    one, other = lease.Lease(tmp_path), lease.Lease(tmp_path)
    one.take()
    with one.held(), pytest.raises(CheckpointError, match=r"another process has held the lock \.lease\.lock"):
        other.take()
