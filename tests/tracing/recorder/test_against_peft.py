"""Adapters and prompts built here against those of ``peft``, where it is installed, in real steps on the CPU."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

peft = pytest.importorskip("peft")
pytest.importorskip("transformers")

from outboard.tracing.sources import build  # noqa: E402
from outboard.types.job import Job  # noqa: E402
from tests.tracing.recorder import test_live_models as live  # noqa: E402

# What transformers says of names that peft still uses.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")

Settings = Callable[[Job], Any]
CAUSAL = {"task_type": "CAUSAL_LM"}


def low_rank(job: Job) -> Any:
    targets = job.targets or ["q_proj", "v_proj"]
    return peft.LoraConfig(r=job.rank, target_modules=targets, lora_dropout=job.adapter_dropout, **CAUSAL)


@pytest.mark.parametrize(
    ("fields", "settings"),
    [
        ({"method": "lora", "rank": 8}, low_rank),
        ({"method": "lora", "rank": 8, "grad_checkpointing": True}, low_rank),
        ({"method": "lora", "targets": "all-linear", "adapter_dropout": 0.1}, low_rank),
        ({"method": "prompt"}, lambda job: peft.PromptTuningConfig(num_virtual_tokens=job.virtual_tokens, **CAUSAL)),
        ({"method": "prefix"}, lambda job: peft.PrefixTuningConfig(num_virtual_tokens=job.virtual_tokens, **CAUSAL)),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_peak_is_that_of_peft(fields: dict[str, Any], settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(live.LLAMA), encoding="utf-8")
    job = Job(workload=f"hf:{path}", task="finetune", attention="eager", seq_len=64, **fields)
    theirs = build(job)
    adapted = peft.get_peft_model(theirs.model.to_empty(device="cpu"), settings(job))
    theirs.model = adapted
    with patch.object(live.adapt, "apply"), patch.object(adapted, "to_empty", lambda device: adapted):
        real = live.real_peak(theirs, job)
    assert live.recorded_peak(build(job), job) == pytest.approx(real, rel=0.001)
