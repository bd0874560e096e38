"""Bytes alive in a step of whole models, against what torch's own profiler saw in a real one on the CPU.

Models run with plain attention, which is all that a CPU shares with CUDA here, and as fp32. Whatever has weights of
four bits has no real counterpart on a CPU.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("timm")
pytest.importorskip("transformers")

from outboard.tracing import adapt  # noqa: E402
from outboard.tracing.recorder import record_built  # noqa: E402
from outboard.tracing.recorder.cuda import as_on_cuda  # noqa: E402
from outboard.tracing.recorder.quiet import quiet  # noqa: E402
from outboard.tracing.sources import build  # noqa: E402
from outboard.tracing.sources.base import Built  # noqa: E402
from outboard.types.job import Job  # noqa: E402

BATCH = 4
SMALL: dict[str, Any] = {"hidden_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 500}
LLAMA = {"model_type": "llama", "intermediate_size": 256, "num_key_value_heads": 2, **SMALL}
CONFIGS: dict[str, dict[str, Any]] = {
    "llama": LLAMA,
    "qwen2": {**LLAMA, "model_type": "qwen2"},
    "mistral": {**LLAMA, "model_type": "mistral"},
    "gpt2": {"model_type": "gpt2", "n_embd": 96, "n_layer": 3, "n_head": 4, "vocab_size": 500},
    "bert": {"model_type": "bert", "intermediate_size": 256, **SMALL},
    "phi": {"model_type": "phi", "intermediate_size": 256, **SMALL},
    "t5": {
        "model_type": "t5",
        "d_model": 96,
        "num_layers": 2,
        "num_heads": 4,
        "d_kv": 24,
        "d_ff": 256,
        "vocab_size": 500,
    },
}
VISION = (
    "timm:resnet18",
    "timm:resnet26",
    "timm:mobilenetv3_small_050",
    "timm:efficientnet_lite0",
    "timm:convnext_atto",
    "timm:regnetx_002",
    "timm:vit_tiny_patch16_224",
    "timm:deit_tiny_patch16_224",
    "timm:mixer_s32_224",
)
TEXT: tuple[tuple[str, dict[str, Any]], ...] = (
    ("llama", {}),
    ("llama", {"grad_checkpointing": True}),
    ("llama", {"method": "lora", "rank": 8}),
    ("llama", {"method": "lora", "targets": "all-linear", "adapter_dropout": 0.1}),
    ("llama", {"method": "lora", "grad_checkpointing": True}),
    ("llama", {"method": "prompt"}),
    ("qwen2", {"padded": False}),
    ("mistral", {"method": "lora"}),
    ("gpt2", {}),
    ("gpt2", {"method": "lora"}),
    ("bert", {}),
    ("bert", {"method": "lora"}),
    ("phi", {"grad_checkpointing": True}),
    ("t5", {}),
)


def recorded_peak(built: Built, job: Job) -> float:
    step = record_built(built, job, [BATCH])[0]
    made = [tensor for tensor in step.tensors if tensor.birth >= 0]
    return max(sum(t.size for t in made if t.birth <= at < t.death) for at in range(len(step.operators)))


def real_peak(built: Built, job: Job, onednn: bool = True) -> float:
    """The same of a real step, after a first one that makes what models keep."""
    adapt.apply(built, job)
    model = built.model.to_empty(device="cpu")
    batch = built.make_batch(BATCH)
    for tensor in (*model.parameters(), *model.buffers(), *batch.args, *batch.kwargs.values(), batch.targets):
        if tensor is not None:
            tensor.data.fill_(0.1 if tensor.dtype.is_floating_point else 0)
    model.train()
    if job.grad_checkpointing:
        assert built.checkpoint is not None
        with quiet():
            built.checkpoint()

    def step() -> object:
        output = model(*batch.args, **batch.kwargs)
        loss = built.loss(output, batch.targets)
        loss.backward()
        return output, loss

    with quiet(), as_on_cuda(job), built.around(), torch.backends.mkldnn.flags(enabled=onednn):
        step()
        model.zero_grad(set_to_none=True)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
            kept = step()
    assert kept
    live = peak = 0
    for _time, size in sorted(_moves(profile)):
        live += size
        peak = max(peak, live)
    return peak


def _moves(profile: Any) -> Iterator[tuple[int, int]]:
    waiting = list(profile.profiler.kineto_results.experimental_event_tree())
    while waiting:
        event = waiting.pop()
        waiting += event.children
        if str(event.tag).endswith("Allocation"):
            yield event.start_time_ns, event.extra_fields.alloc_size


@pytest.fixture
def text_job(tmp_path: Path) -> Callable[..., Job]:
    def make(name: str, **fields: Any) -> Job:
        path = tmp_path / "config.json"
        path.write_text(json.dumps(CONFIGS[name]), encoding="utf-8")
        return Job(workload=f"hf:{path}", **{"task": "finetune", "attention": "eager", "seq_len": 64, **fields})

    return make


@pytest.mark.parametrize("workload", VISION)
def test_vision_models_hold_what_the_profiler_sees(workload: str) -> None:
    # A CPU's convolutions take buffers of their own: with one library some do, with the other the others.
    job = Job(workload=workload, attention="eager", image_size=None if "mixer" in workload else 96)
    recorded = recorded_peak(build(job), job)
    real = (real_peak(build(job), job, onednn) for onednn in (True, False))
    assert any(recorded == pytest.approx(peak, rel=0.02) for peak in real)


@pytest.mark.parametrize(("name", "fields"), TEXT, ids=lambda value: str(value))
def test_language_models_hold_what_the_profiler_sees(
    name: str, fields: dict[str, Any], text_job: Callable[..., Job]
) -> None:
    job = text_job(name, **fields)
    assert recorded_peak(build(job), job) == pytest.approx(real_peak(build(job), job), rel=0.02)
