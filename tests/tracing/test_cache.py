"""Traces kept between runs: found again for the same job only, and never in anybody's way."""

from collections.abc import Callable
from pathlib import Path

import pytest

from outboard.tracing import cache, live
from outboard.types.job import Job
from outboard.types.trace import Trace

Same = Callable[[object, object], bool]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OUTBOARD_CACHE_DIR", str(tmp_path))
    return tmp_path / "traces"


def test_what_was_put_is_found(trace: Trace, same: Same) -> None:
    assert cache.get("a") is None
    cache.put("a", trace)
    found = cache.get("a")
    assert found is not None and same(found, trace)


def test_a_damaged_entry_is_thrown_away(trace: Trace, folder: Path) -> None:
    cache.put("a", trace)
    path = folder / "a.trace"
    path.write_bytes(path.read_bytes()[:50])
    assert cache.get("a") is None
    assert not path.exists()


def test_a_folder_that_cannot_be_written_is_no_error(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("OUTBOARD_CACHE_DIR", str(tmp_path / "file"))
    cache.put("a", trace)
    assert cache.get("a") is None


def test_the_key_depends_on_what_is_recorded_and_on_nothing_else(tmp_path: Path) -> None:
    base = Job(workload="timm:resnet50")
    same = [{"batch_size": 8}, {"optimizer": "sgd"}, {"compiled": True}]
    other = [
        {"task": "infer"},
        {"task": "finetune"},
        {"precision": "bf16"},
        {"image_size": 32},
        {"memory_format": "nhwc"},
    ]
    assert {cache.key(base.model_copy(update=change)) for change in same} == {cache.key(base)}
    keys = {cache.key(base.model_copy(update=change)) for change in other}
    assert len(keys) == len(other) and cache.key(base) not in keys


@pytest.mark.parametrize("workload", ["hf:{path}", "hf:{path}/config.json", "python:{path}/config.json:build"])
def test_the_key_depends_on_the_content_of_named_files(tmp_path: Path, workload: str) -> None:
    job = Job(workload=workload.format(path=tmp_path))
    (tmp_path / "config.json").write_text("{}")
    before = cache.key(job)
    (tmp_path / "config.json").write_text('{"hidden_size": 8}')
    assert cache.key(job) != before


def test_a_model_is_recorded_once(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[Job] = []
    monkeypatch.setattr(live, "record_trace", lambda job: recorded.append(job) or trace)
    for optimizer in ("sgd", "adamw"):
        live.trace_live(Job(workload="timm:tiny", optimizer=optimizer))
    assert len(recorded) == 1
