"""The door: every kind of workload, and every way to get one wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

from outboard import tracing
from outboard.errors import JobError, MissingExtraError, UnknownNameError, UsageError
from outboard.tracing import file, live
from outboard.tracing.optimizer import attached
from outboard.types.job import Job
from outboard.types.trace import DTYPES, Trace


@pytest.fixture
def saved(trace: Trace, tmp_path: Path) -> str:
    path = tmp_path / "tiny.trace"
    file.save(tracing.attach(trace.with_info(precision="amp-fp16"), "sgd"), path)
    return str(path)


def test_a_saved_trace_says_what_the_job_does_not(saved: str) -> None:
    held = tracing.trace(Job(workload=saved))
    assert (held.info.precision, held.info.optimizer, held.info.image_size) == ("amp-fp16", "sgd", 32)
    assert attached(held)


def test_a_saved_trace_takes_another_optimizer_and_the_other_half_precision(saved: str) -> None:
    held = tracing.trace(Job(workload=saved, optimizer="adamw", precision="amp-bf16", task="finetune", image_size=32))
    assert (held.info.precision, held.info.optimizer, held.info.task) == ("amp-bf16", "adamw", "finetune")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"precision": "fp32"}, "holds precision amp-fp16, not fp32"),
        ({"image_size": 64}, "holds image-size 32, not 64"),
        ({"task": "infer"}, "holds task train, not infer"),
        ({"memory_format": "nhwc"}, "holds memory-format nchw, not nhwc"),
        ({"grad_checkpointing": True}, "holds grad-checkpointing False, not True"),
    ],
)
def test_a_saved_trace_refuses_what_contradicts_it(saved: str, change: dict[str, object], message: str) -> None:
    with pytest.raises(JobError, match=message):
        tracing.trace(Job.model_validate({"workload": saved, **change}))


@pytest.mark.parametrize("workload", ["nonsense", "keras:resnet50", ":"])
def test_an_unknown_source_lists_the_sources(workload: str) -> None:
    with pytest.raises(UsageError, match="zoo:, timm:, torchvision:, hf:, python:, builtin:"):
        tracing.trace(Job(workload=workload))


def test_a_bare_name_is_pointed_to_the_zoo() -> None:
    with pytest.raises(UsageError, match="perhaps zoo:resnet50"):
        tracing.trace(Job(workload="ResNet50"))


def test_what_is_planned_says_so() -> None:
    with pytest.raises(UsageError, match="hours: cannot be traced yet"):
        tracing.trace(Job(workload="hours:x"))


@pytest.mark.parametrize(
    ("workload", "task", "said"), [("gguf:x.gguf", "train", "fit-llm"), ("zoo:bert-base", "serve", "no step to trace")]
)
def test_what_is_served_is_not_traced(workload: str, task: str, said: str) -> None:
    with pytest.raises(JobError, match=said):
        tracing.trace(Job.model_validate({"workload": workload, "task": task}))


def test_what_does_not_ship_is_traced_live_as_the_zoo_knows_it(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Job] = []
    monkeypatch.setattr(live, "trace_live", lambda job: asked.append(job) or trace)
    tracing.trace(Job(workload="zoo:vit-b16", image_size=384, precision="tf32"))
    assert (asked[0].workload, asked[0].image_size) == ("timm:vit_base_patch16_224", 384)


def test_without_torch_what_ships_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(job: Job) -> Trace:
        raise MissingExtraError("torch", "models", "tracing a model")

    monkeypatch.setattr(live, "trace_live", missing)
    with pytest.raises(
        MissingExtraError, match=r"zoo:resnet50 as train-fp32-96 does not ship \(shipped: infer-fp32-224"
    ):
        tracing.trace(Job(workload="zoo:resnet50", image_size=96))
    with pytest.raises(UsageError, match="or use zoo:resnet50, which ships"):
        tracing.trace(Job(workload="timm:resnet50"))
    with pytest.raises(MissingExtraError):
        tracing.trace(Job(workload="timm:resnet26"))


def test_twins_are_relabelled() -> None:
    half = tracing.trace(Job(workload="zoo:resnet50", precision="amp-bf16"))
    single = tracing.trace(Job(workload="zoo:resnet50", precision="tf32", task="infer"))
    used = {DTYPES[index] for index in half.operators.dtype}
    assert half.info.precision == "amp-bf16" and "bf16" in used and "fp16" not in used
    products = [
        DTYPES[i] for i, name in zip(single.operators.dtype, single.operators.name, strict=True) if "conv" in name
    ]
    assert single.info.precision == "tf32" and set(products) == {"tf32"}


def test_finetuning_is_training_by_another_name() -> None:
    tuned = tracing.trace(Job(workload="zoo:resnet50", task="finetune"))
    assert tuned.info.task == "finetune" and attached(tuned)


def test_a_miss_lists_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="nearest: zoo:resnet50"):
        tracing.trace(Job(workload="zoo:resnet5"))


def test_opening_a_trace_needs_no_torch() -> None:
    code = (
        "import sys; from outboard.types.job import Job; from outboard import tracing;"
        "tracing.trace(Job(workload='zoo:resnet50')); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("workload", "sizes"), [("zoo:resnet50", {"seq_len": 128}), ("zoo:bert-base", {"image_size": 128})]
)
def test_a_size_that_the_model_has_not_is_refused(workload: str, sizes: dict[str, int]) -> None:
    with pytest.raises(JobError, match=r"takes no --(seq-len|image-size)"):
        tracing.trace(Job(workload=workload, **sizes))
