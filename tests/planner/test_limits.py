"""The longest sequence that fits."""

import json
from pathlib import Path

import pytest

pytest.importorskip("transformers")

import numpy as np

from outboard import catalog, tracing
from outboard.perf.memory import required_bytes
from outboard.planner import remedies
from outboard.planner.limits import GRAIN, longest_sequence
from outboard.types.job import Job

CONFIG = {
    "model_type": "llama", "hidden_size": 1024, "num_hidden_layers": 2, "num_attention_heads": 16,
    "intermediate_size": 4096, "vocab_size": 128000,
}  # fmt: skip
PLACE = "rtx-3060-12gb"


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setenv("OUTBOARD_CACHE_DIR", str(tmp_path))
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    return Job(workload=f"hf:{tmp_path}/config.json", precision="bf16", seq_len=512, batch_size=1)


def fits(job: Job, length: int) -> bool:
    changed = job.model_copy(update={"seq_len": length})
    found = required_bytes(changed, tracing.trace(changed), np.array([1.0]), [catalog.place(PLACE)])
    return bool(found.fits[0, 0])


def test_the_longest_sequence_fits_and_a_longer_one_hardly(job: Job) -> None:
    found = longest_sequence(job, tracing.trace(job), catalog.place(PLACE), 1, tracing.trace)
    assert not found.bounded and found.tokens % GRAIN == 0
    assert fits(job, found.tokens)
    assert not fits(job, int(found.tokens * 1.05))


def test_a_job_that_is_too_long_is_shortened_until_it_fits(job: Job) -> None:
    long = job.model_copy(update={"seq_len": 32768})
    found = longest_sequence(long, tracing.trace(long), catalog.place(PLACE), 1, tracing.trace)
    assert 0 < found.tokens < 32768 and fits(job, found.tokens)


def test_a_model_with_positions_bounds_the_answer(tmp_path: Path, job: Job) -> None:
    small = {"model_type": "gpt2", "n_embd": 64, "n_layer": 1, "n_head": 4, "vocab_size": 500, "n_positions": 1024}
    (tmp_path / "config.json").write_text(json.dumps(small), encoding="utf-8")
    found = longest_sequence(job, tracing.trace(job), catalog.place(PLACE), 1, tracing.trace)
    assert found.bounded and found.tokens == 1024


def test_changes_are_combined_and_the_result_stays_the_same_where_that_is_enough(job: Job) -> None:
    large = job.model_copy(update={"seq_len": 4096, "batch_size": 2})
    place = catalog.place(PLACE)
    found = remedies(large, tracing.trace(large), place, 2, tracing.trace, everything=True)
    best = found[0]
    assert best.fits and best.distance == 0
    assert {"method", "seq_len", "loss"} <= {remedy.name for remedy in found}
    order = [(not one.fits, one.distance) for one in found]
    assert order == sorted(order)
    for remedy in found:
        batch = remedy.job.batch_size if isinstance(remedy.job.batch_size, int) else 2
        needs = required_bytes(remedy.job, tracing.trace(remedy.job), np.array([float(batch)]), [place])
        assert bool(needs.fits[0, 0]) == remedy.fits
