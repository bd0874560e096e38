"""Lines of progress: what the keeper reads of them, and what never harms the training."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import outboard
from outboard.errors import UsageError
from outboard.keeper.folder import PROGRESS
from outboard.keeper.reports import Progress
from outboard.resuming import report as module


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    path = tmp_path / PROGRESS
    monkeypatch.setenv("OUTBOARD_PROGRESS_FILE", str(path))
    return lambda: [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else None


def test_the_keeper_reads_what_the_script_tells(lines: Any, tmp_path: Path) -> None:
    progress = Progress(tmp_path, {}, {})
    outboard.report(step=3, samples=96, loss=0.5, total=10)
    outboard.report(step=4, samples=128, loss=0.25, total=10)
    assert progress.look()
    told = progress.reached
    assert (told["step"], told["samples"], told["loss"], told["total"]) == (4, 128, 0.25, 10)
    assert isinstance(told["step"], int)
    assert len(lines()) == 2


def test_numbers_come_in_many_forms(lines: Any) -> None:
    numpy, torch = pytest.importorskip("numpy"), pytest.importorskip("torch")
    outboard.report(step=torch.tensor(2), samples=numpy.int64(8), loss=torch.tensor([0.5], requires_grad=True), ok=True)
    assert {key: value for key, value in lines()[0].items() if key != "time"} == {
        "step": 2,
        "samples": 8,
        "loss": 0.5,
        "ok": 1,
    }


def test_a_loss_that_is_not_finite_is_named_and_never_written_as_a_number(lines: Any) -> None:
    outboard.report(step=1, loss=math.nan, norm=math.inf, rate=0.1)
    told = lines()[0]
    assert told["not_finite"] == ["loss", "norm"]
    assert "loss" not in told
    assert told["rate"] == 0.1


@pytest.mark.parametrize("wrong", [{"step": -1}, {"step": 1.5}, {"step": "3"}, {"step": math.nan}, {"step": None}])
def test_a_step_that_is_none_is_refused(wrong: dict[str, Any], lines: Any) -> None:
    with pytest.raises(UsageError, match=r"report: step has to be a whole number from 0, not"):
        outboard.report(**wrong)
    assert lines() is None


def test_a_figure_that_is_no_number_is_refused(lines: Any) -> None:
    torch = pytest.importorskip("torch")
    for wrong in ("good", [1, 2], torch.zeros(2)):
        with pytest.raises(UsageError, match="report: loss has to be a number, not"):
            outboard.report(step=1, loss=wrong)


def test_only_rank_0_writes(lines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    outboard.report(step=1)
    assert lines() is None
    monkeypatch.setenv("RANK", "0")
    outboard.report(step=1)
    assert len(lines()) == 1


def test_nothing_happens_outside_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outboard.report(step=1, loss=0.5)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_borne(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTBOARD_PROGRESS_FILE", "/dev/full")
    outboard.report(step=1)
    monkeypatch.setenv("OUTBOARD_PROGRESS_FILE", "/nowhere/progress.jsonl")
    outboard.report(step=1)


def test_the_line_after_a_torn_one_can_be_read(lines: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write = module.os.write
    monkeypatch.setattr(module.os, "write", lambda opened, data: write(opened, data[:7]))
    outboard.report(step=1)
    monkeypatch.setattr(module.os, "write", write)
    outboard.report(step=2)
    outboard.report(step=3)
    whole = (tmp_path / PROGRESS).read_text().splitlines()[1:]
    assert [json.loads(line)["step"] for line in whole] == [2, 3]


def test_importing_it_imports_nothing_heavy() -> None:
    code = (
        "import sys, outboard; outboard.report(step=1); "
        "print(*sorted({name.split('.')[0] for name in sys.modules} & {'torch', 'numpy', 'pydantic', 'scipy', 'rich'}))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
