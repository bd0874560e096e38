"""Asked to stop, a script saves and ends with the exit code that means "start me again"."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import outboard as ob  # noqa: E402
from outboard.keeper import signs  # noqa: E402
from outboard.resuming import folders  # noqa: E402
from tests.resuming.conftest import Start  # noqa: E402

SIGNALS = [signal.SIGTERM, signal.SIGUSR1]


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def newest(folder: Path) -> int:
    return next((one.step for one in folders.committed(folder)), 0) if folder.exists() else 0


def until(condition: Any, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(("kind", "workers"), [("feed", 2), ("stateful", 2)])
def test_the_whole_group_is_told_and_the_training_goes_on_exactly(
    number: signal.Signals, kind: str, workers: int, start: Start, tmp_path: Path
) -> None:
    if kind == "stateful":
        pytest.importorskip("torchdata")
    options = {"steps": 14, "kind": kind, "workers": workers, "every": 3}
    folder, result = tmp_path / "c", tmp_path / "result.json"
    process = start("train", folder=folder, result=result, pause=0.05, **options)
    until(lambda: newest(folder) >= 3)
    os.killpg(process.pid, number)  # as the keeper does: the workers of the loader hear it too
    assert process.wait() == signs.AGAIN, process.said()
    assert f"outboard: stopped as asked; step {newest(folder)} is saved" in process.said()
    assert 3 <= newest(folder) < 14
    again = start("train", folder=folder, result=result, **options)
    assert again.wait() == 0, again.said()
    whole = start("train", folder=tmp_path / "whole", result=tmp_path / "whole.json", **options)
    assert whole.wait() == 0, whole.said()
    assert json.loads(result.read_text()) == json.loads((tmp_path / "whole.json").read_text())


def test_a_script_that_never_looks_dies_of_the_signal_as_before(start: Start, tmp_path: Path) -> None:
    ready, go = tmp_path / "ready", tmp_path / "go"
    process = start("saves", folder=tmp_path / "c", until=9, ready=ready, go=go)
    until(ready.exists)
    process.kill(signal.SIGTERM)
    assert process.wait() == -signal.SIGTERM


def test_workers_end_with_the_process_they_work_for(start: Start, tmp_path: Path) -> None:
    process = start("held_workers", folder=tmp_path / "c")
    assert process.wait() == 0, process.said()


def test_handlers_that_were_there_are_called_and_come_back(tmp_path: Path) -> None:
    heard: list[int] = []
    before = {number: (lambda which, _frame: heard.append(which)) for number in SIGNALS}
    for number, handler in before.items():
        signal.signal(number, handler)
    checkpoint = ob.Checkpoint(tmp_path)
    assert not checkpoint.stopping
    os.kill(os.getpid(), signal.SIGUSR1)
    assert checkpoint.stopping
    assert heard == [signal.SIGUSR1]
    checkpoint.close()
    assert {number: signal.getsignal(number) for number in SIGNALS} == before


def test_whoever_wants_to_know_at_once_is_called_once(tmp_path: Path) -> None:
    told: list[str] = []
    with ob.Checkpoint(tmp_path, on_stop=lambda: told.append("stop")) as checkpoint:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        assert checkpoint.stopping
    assert told == ["stop"]


def test_one_that_nobody_asks_does_not_stop_one_that_is_asked(tmp_path: Path) -> None:
    forgotten = ob.Checkpoint(tmp_path)
    with ob.Checkpoint(tmp_path) as checkpoint:
        assert not checkpoint.stopping
        os.kill(os.getpid(), signal.SIGTERM)
        assert checkpoint.stopping
    forgotten.close()


def test_what_is_saved_already_is_not_saved_again(tmp_path: Path) -> None:
    checkpoint = ob.Checkpoint(tmp_path, on_stop=lambda: None)
    checkpoint.stop_if_asked(1, 1, {"a": 1})
    checkpoint.save(1, 1, {"a": 1})
    os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        checkpoint.stop_if_asked(1, 1, {"a": 1})
    assert ended.value.code == signs.AGAIN
    with pytest.raises(SystemExit):
        checkpoint.stop_if_asked(2, 2, {"a": 1})
    checkpoint.close()
    assert [one.path.name for one in folders.committed(tmp_path)] == ["step-00000002", "step-00000001"]


def test_a_lost_save_does_not_keep_the_last_one_from_being_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    checkpoint = ob.Checkpoint(tmp_path, on_stop=lambda: None)

    def broken(*_arguments: Any) -> Any:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as changed:
        changed.setattr(folders, "begin", broken)
        checkpoint.save(1, 1, {"a": 1})
        until(lambda: not checkpoint._writer.busy())
    os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(SystemExit):
        checkpoint.stop_if_asked(1, 1, {"a": 1})
    checkpoint.close()
    assert newest(tmp_path) == 1
    assert "Input/output error" in caplog.text
