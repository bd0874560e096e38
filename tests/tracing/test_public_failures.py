"""Cases that tools like this one got wrong in public, as far as memory of training goes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers")

from outboard import catalog, tracing
from outboard.perf.memory import required_bytes
from outboard.types.job import Job


def job_of(folder: Path, config: dict[str, Any], **fields: Any) -> Job:
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return Job(workload=f"hf:{folder}/config.json", **fields)


def test_lora_of_a_13b_model_is_within_15_percent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """RahulSChand/gpu_poor#3: Baichuan-13B, LoRA on its fused query, key and value, fp16, 800 tokens: 28 GB measured.

    Written as Llama with the same sizes; the fused projection becomes three.
    """
    monkeypatch.setenv("OUTBOARD_CACHE_DIR", str(tmp_path))
    config = {
        "model_type": "llama", "hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 40,
        "intermediate_size": 13696, "vocab_size": 64000,
    }  # fmt: skip
    job = job_of(
        tmp_path, config, task="finetune", precision="fp16", seq_len=800, batch_size=1, method="lora", rank=8,
        targets="q_proj,k_proj,v_proj", grad_checkpointing=True,
    )  # fmt: skip
    found = required_bytes(job, tracing.trace(job), np.array([1.0]), [catalog.place("a40")])
    assert found.required.value[0, 0] == pytest.approx(28e9, rel=0.15)


def test_parameters_of_a_gated_model_are_all_counted(tmp_path: Path) -> None:
    """EleutherAI/cookbook#36: Qwen1.5-72B was given 56.19 B parameters; it has three matrices in each feed-forward."""
    from outboard.tracing.sources import build

    config = {
        "model_type": "qwen2", "hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64,
        "num_key_value_heads": 64, "intermediate_size": 24576, "vocab_size": 152064, "tie_word_embeddings": False,
    }  # fmt: skip
    model = build(job_of(tmp_path, config, task="infer")).model
    assert sum(parameter.numel() for parameter in model.parameters()) == pytest.approx(72.29e9, rel=0.001)
