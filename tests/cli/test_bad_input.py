"""Input that cannot be: one clear line, exit status 2, and no file half-written."""

import json
import os
from pathlib import Path

import pytest

import outboard as ob
from tests.cli.conftest import Answer, Run

PLACE = ("--on", "rtx-3060-12gb@tb3")
BAD = {
    "unknown device": (["estimate", "zoo:resnet50", "--on", "rtx-3070-banana@tb3"], "unknown device"),
    "unknown link": (["estimate", "zoo:resnet50", "--on", "rtx-3060-12gb@carrier-pigeon"], "unknown link"),
    "unknown model of the zoo": (["estimate", "zoo:resnet51", *PLACE], "resnet50"),
    "unknown source": (["estimate", "nowhere:resnet50", *PLACE], "names no known source"),
    "no source": (["estimate", "resnet50", *PLACE], "zoo:resnet50"),
    "unknown device to show": (["devices", "rtx-banana"], "unknown device"),
    "place without device": (["estimate", "zoo:resnet50", "--on", "@tb3"], "write a place like rtx-3060-12gb@tb3"),
    "place without link": (["estimate", "zoo:resnet50", "--on", "rtx-3090@"], "no link after '@'"),
}


def is_one_clear_line(answer: Answer) -> None:
    assert answer.status == 2, answer
    assert answer.out == ""
    assert answer.err.startswith("error: ")
    assert answer.err.count("\n") == 1
    assert "Traceback" not in answer.err


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
def test_names_that_nobody_knows(run: Run, arguments: list[str], message: str) -> None:
    answer = run(*arguments)
    is_one_clear_line(answer)
    assert message in answer.err


def test_a_trace_that_is_not_there(run: Run, tmp_path: Path) -> None:
    is_one_clear_line(run("estimate", str(tmp_path / "none.trace"), *PLACE))


@pytest.mark.parametrize("content", [b"", b"not a trace", os.urandom(4096)])
def test_a_trace_that_is_damaged(run: Run, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.trace"
    path.write_bytes(content)
    answer = run("estimate", str(path), *PLACE)
    is_one_clear_line(answer)
    assert str(path) in answer.err


def test_a_trace_that_was_cut_short(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "r50.trace"
    run("trace", "zoo:resnet50", "-o", str(path))
    path.write_bytes(path.read_bytes()[:-100])
    is_one_clear_line(run("estimate", str(path), *PLACE))


def test_a_trace_from_a_newer_version(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r50.trace"
    recorded = ob.trace(ob.Job(workload="zoo:resnet50"))
    with monkeypatch.context() as newer:
        newer.setattr("outboard.tracing.file.FORMAT_VERSION", 999)
        ob.save_trace(recorded, path)
    answer = run("estimate", str(path), *PLACE)
    is_one_clear_line(answer)
    assert "update Outboard" in answer.err


def test_a_saved_trace_does_not_change_its_precision(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "r50.trace"
    run("trace", "zoo:resnet50", "-o", str(path))
    answer = run("estimate", str(path), *PLACE, "--precision", "amp-fp16")
    is_one_clear_line(answer)
    assert "trace the workload again" in answer.err


def test_a_folder_that_cannot_be_written_to(run: Run, tmp_path: Path) -> None:
    answer = run("trace", "zoo:resnet50", "-o", str(tmp_path / "none" / "r50.trace"))
    is_one_clear_line(answer)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def torch() -> None:
    pytest.importorskip("torch", reason="tracing a model needs torch: pip install 'outboard[models]'")


@pytest.mark.usefixtures("torch")
def test_an_image_size_that_the_model_refuses(run: Run) -> None:
    answer = run("estimate", "timm:vit_tiny_patch16_224", *PLACE, "--image-size", "8")
    is_one_clear_line(answer)


@pytest.mark.usefixtures("torch")
def test_a_config_without_needed_keys(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"hidden_size": 64}), encoding="utf-8")
    is_one_clear_line(run("estimate", f"hf:{path}", *PLACE))


@pytest.mark.usefixtures("torch")
def test_a_python_file_that_raises(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def make(batch_size=32):\n    raise RuntimeError('no such layer')\n", encoding="utf-8")
    answer = run("estimate", f"python:{path}:make", *PLACE)
    is_one_clear_line(answer)
    assert "no such layer" in answer.err


@pytest.mark.usefixtures("torch")
def test_an_unknown_model_of_timm(run: Run) -> None:
    is_one_clear_line(run("estimate", "timm:resnet51", *PLACE))
