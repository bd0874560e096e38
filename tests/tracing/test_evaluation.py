"""The forward pass between steps."""

from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from outboard.tracing import file
from outboard.tracing.live import record_trace
from outboard.types.job import Job
from tests.tracing.models_to_compile import TOKENS, VOCABULARY, language_model

BATCH = 16


def job(**fields: Any) -> Job:
    here = language_model.__code__.co_filename
    return Job(workload=f"python:{here}:language_model", precision="bf16", **fields)


def test_peaks_where_a_real_forward_pass_does() -> None:
    """Live bytes of torch's own profiler on the processor, in fp32, without gradients."""
    found = record_trace(job(evaluate_every=10).model_copy(update={"precision": "fp32"})).evaluation
    assert found is not None
    model, batch, _loss = language_model(BATCH)
    ids = batch["ids"]
    with torch.no_grad():
        model(ids, ids)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
            model(ids, ids)
    live = peak = 0
    for event in profile.profiler.kineto_results.events():
        if event.name() == "[memory]":
            live += event.nbytes()
            peak = max(peak, live)
    ours = float(found.constant[0] + BATCH * found.per_batch[0])
    assert 0.9 * peak < ours <= peak  # names in the model's own code hold a little longer than its operators read


def test_is_recorded_only_where_it_is_asked_for_and_survives_a_file(tmp_path: Any) -> None:
    assert record_trace(job()).evaluation is None
    trace = record_trace(job(evaluate_every=10, compiled=True))
    assert trace.evaluation is not None
    assert trace.evaluation.per_batch[0] >= TOKENS * VOCABULARY * (2 + 4)  # logits, and in fp32
    file.save(trace, tmp_path / "one.trace")
    again = file.load_bare(tmp_path / "one.trace")
    assert again.evaluation is not None and again.evaluation.per_batch.tolist() == trace.evaluation.per_batch.tolist()
    assert again.tensors.compiled_death is not None
    assert again.tensors.compiled_death.tolist() == trace.tensors.compiled_death.tolist()  # type: ignore[union-attr]
