"""Language models run the attention that they would run on real tokens without padding."""

import json
from pathlib import Path

import pytest

from outboard.tracing.live import record_trace
from outboard.types.job import Job

pytest.importorskip("torch")
pytest.importorskip("transformers")


@pytest.mark.parametrize("task", ["train", "infer"])
def test_a_causal_model_needs_no_mask(tmp_path: Path, task: str) -> None:
    tiny = {"hidden_size": 128, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama", "vocab_size": 100, **tiny}))
    job = Job.model_validate({"workload": f"hf:{tmp_path}", "task": task, "precision": "bf16", "seq_len": 16})
    names = record_trace(job).operators.name
    assert "aten._scaled_dot_product_flash_attention" in names
    assert "aten.where" not in names
