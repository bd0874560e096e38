"""What methods of fine-tuning make of a model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers")

from outboard import tracing
from outboard.errors import JobError
from outboard.types.job import Job
from outboard.types.trace import CATEGORIES, Trace

WIDTH, LAYERS, RANK = 64, 2, 8
CONFIG = {
    "model_type": "llama", "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 300,
}  # fmt: skip
MATRICES = LAYERS * (2 * WIDTH * WIDTH + 2 * WIDTH * WIDTH // 2 + 3 * WIDTH * 128)


@pytest.fixture
def traced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Trace]:
    monkeypatch.setenv("OUTBOARD_CACHE_DIR", str(tmp_path))
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")

    def make(**fields: Any) -> Trace:
        base = {"task": "finetune", "precision": "bf16", "seq_len": 32}
        return tracing.trace(Job(workload=f"hf:{tmp_path}/config.json", **{**base, **fields}))

    return make


def trained(trace: Trace) -> int:
    table = trace.parameters
    return int((table.rows * table.columns * table.count)[table.trainable].sum())


def of(trace: Trace, category: str) -> float:
    """Bytes of one category that the batch does not change."""
    rows = trace.tensors.category == CATEGORIES.index(category)
    return float(trace.tensors.size.constant[rows].sum())


def test_lora_trains_two_small_matrices_for_each_target(traced: Callable[..., Trace]) -> None:
    trace = traced(method="lora", rank=RANK, targets="q_proj,v_proj")
    assert trained(trace) == LAYERS * RANK * (WIDTH + WIDTH + WIDTH + WIDTH // 2)
    assert of(trace, "gradients") == 4 * trained(trace)  # in fp32, as peft keeps adapters
    assert of(trace, "optimizer") == 8 * trained(trace)
    assert of(traced(method="lora", rank=RANK, adapter_precision="same"), "gradients") == 2 * trained(trace)


def test_targets_are_the_usual_ones_or_all_but_the_head(traced: Callable[..., Trace]) -> None:
    usual = traced(method="lora", rank=RANK)
    assert trained(usual) == trained(traced(method="lora", rank=RANK, targets="q_proj,v_proj"))
    every = traced(method="lora", rank=RANK, targets="all-linear")
    sums = 2 * WIDTH + 2 * (WIDTH + WIDTH // 2) + 2 * WIDTH + 3 * (WIDTH + 128)
    assert trained(every) == LAYERS * RANK * sums


def test_a_target_that_is_not_there_is_told_what_is(traced: Callable[..., Trace]) -> None:
    with pytest.raises(JobError, match=r"no linear layer is called wrong; --targets takes q_proj, k_proj"):
        traced(method="lora", targets="q_proj,wrong")


@pytest.mark.parametrize(
    ("kind", "bytes_per_weight"), [("nf4", 0.5 + 4 / 64), ("nf4-dq", 0.5 + 1 / 64 + 4 / 64 / 256), ("int8", 1)]
)
def test_quantised_weights_are_small(traced: Callable[..., Trace], kind: str, bytes_per_weight: float) -> None:
    whole = of(traced(method="lora", rank=RANK), "weights")
    small = of(traced(method="qlora", rank=RANK, base_weights=kind), "weights")
    scales = 4 * LAYERS * (2 * WIDTH + 2 * WIDTH // 2 + WIDTH + 2 * 128) if kind == "int8" else 0
    assert whole - small == pytest.approx(MATRICES * (2 - bytes_per_weight) - scales, rel=0.01)


def test_weights_of_four_bits_are_written_out_forward_and_backward_and_never_kept(traced: Callable[..., Trace]) -> None:
    trace = traced(method="qlora")
    table = trace.operators
    count = {
        phase: sum(
            times
            for name, where, times in zip(table.name, table.phase, table.count, strict=True)
            if name == "outboard.dequantize" and where == phase
        )
        for phase in (0, 2)
    }
    # Scales and weights of seven products in each layer; the first layer's query, key and value need no input gradient.
    assert count[0] == 2 * 7 * LAYERS
    assert 0 < count[2] <= count[0]
    largest = 2.0 * WIDTH * 128
    alive = (trace.tensors.birth >= 0) & (trace.tensors.size.constant == largest)
    assert (trace.tensors.death - trace.tensors.birth)[alive].max() <= 3


def test_prompts_lengthen_the_sequence_and_prefixes_the_keys(traced: Callable[..., Trace]) -> None:
    prompt, prefix = (traced(method=name, virtual_tokens=10) for name in ("prompt", "prefix"))
    assert trained(prompt) == 10 * WIDTH
    assert trained(prefix) == 10 * LAYERS * 2 * WIDTH // 2
    plain = of(traced(method="lora", rank=RANK), "weights")
    assert of(prompt, "weights") < plain + 10 * WIDTH * 4 + 1


def test_padding_brings_a_mask_in_fine_tuning_unless_said_otherwise(traced: Callable[..., Trace]) -> None:
    def kernels(**fields: Any) -> set[str]:
        return {name for name in traced(**fields).operators.name if "attention" in name and "backward" not in name}

    masked, plain = {"aten._scaled_dot_product_efficient_attention"}, {"aten._scaled_dot_product_flash_attention"}
    assert kernels() == kernels(task="train", padded=True) == masked
    assert kernels(padded=False) == kernels(task="train") == kernels(task="infer") == plain


def test_a_trace_remembers_how_its_model_was_adapted(traced: Callable[..., Trace], tmp_path: Path) -> None:
    trace = traced(method="lora", rank=RANK)
    assert trace.info.adaptation == {"method": "lora", "rank": RANK}
    assert "--method lora --rank 8" in trace.info.command
    tracing.file.save(trace, tmp_path / "lora.trace")
    assert tracing.trace(Job(workload=str(tmp_path / "lora.trace"))).info.adaptation == trace.info.adaptation
    with pytest.raises(JobError, match="holds method lora, not full"):
        tracing.trace(Job(workload=str(tmp_path / "lora.trace"), method="full"))


def test_adapters_cost_nothing_in_inference_but_quantised_weights_save(traced: Callable[..., Trace]) -> None:
    assert np.array_equal(
        traced(task="infer", method="lora").tensors.size.constant, traced(task="infer").tensors.size.constant
    )
    assert of(traced(task="infer", method="qlora"), "weights") < of(traced(task="infer"), "weights")


def test_a_chunked_loss_holds_logits_in_two_bytes_and_a_fused_one_holds_few(traced: Callable[..., Trace]) -> None:
    """What lives as backward begins, beside the plain loss with its logits in two types and their log-softmax."""
    tokens, vocabulary, batch = 32, CONFIG["vocab_size"], 2

    def alive(**fields: Any) -> float:
        table = traced(seq_len=tokens, **fields).tensors
        start = table.phase_start[2]
        rows = (table.birth >= 0) & (table.birth < start) & (table.death > start)
        return float((table.size.constant + batch * table.size.per_batch)[rows].sum())

    logits = 2.0 * batch * tokens * vocabulary
    plain, fused = alive(), alive(loss="fused")
    compiled = alive(loss="chunked", compiled=True)
    of_head = 2.0 * vocabulary * WIDTH  # the head's gradient, which the fused loss makes in the forward pass
    assert alive(loss="chunked") - fused == pytest.approx(2 * logits - of_head, rel=0.1)  # log-softmax in fp32
    assert plain - fused == pytest.approx(3 * logits - of_head, rel=0.1)  # and the logits, which are the output
    assert compiled == alive(loss="chunked")  # what is recorded is the same; lives after compilation stand beside it
