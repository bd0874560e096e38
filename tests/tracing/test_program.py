"""The program that --check prints runs as it stands, with plain libraries."""

import json
import warnings
from pathlib import Path

import pytest

from outboard.errors import UsageError
from outboard.tracing.program import program
from outboard.types.job import Job

CONFIG = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "vocab_size": 64,
    "max_position_embeddings": 64,
}
# What the loop does with last step's gradients, in the words of the program.
RELEASES = {"never": "set_to_none=False", "before-forward": "set_to_none=True", "before-backward": "set_to_none=True"}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A tiny language model's configuration."""
    path = tmp_path / "it's a model" / "config.json"
    path.parent.mkdir()
    path.write_text(json.dumps(CONFIG))
    return path


def run(text: str) -> None:
    """In this process: importing torch again for each would take most of the time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries about themselves: the program must run with older ones too
        exec(compile(text, "check.py", "exec"), {})


@pytest.mark.parametrize(
    "job",
    [
        Job(workload="timm:resnet18", task="train", image_size=32, precision="amp-bf16", memory_format="nhwc"),
        Job(
            workload="timm:vit_tiny_patch16_224", task="train", image_size=32, optimizer="momentum", grad_accumulation=2
        ),
        Job(workload="timm:resnet18", image_size=32, gradients_released="in-backward", allocator="expandable"),
        Job(workload="torchvision:squeezenet1_1", task="infer", image_size=64),
    ],
    ids=lambda job: job.workload,
)
def test_programs_for_image_models_run(job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    run(program(job, job.workload, 2))
    said = capsys.readouterr().out
    assert "no GPU" in said or "allocated" in said


@pytest.mark.parametrize("method", ["full", "lora", "prompt", "prefix"])
def test_programs_for_language_models_run(method: str, config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workload = f"hf:{config}"
    targets = "q_proj,v_proj" if method == "lora" else None
    job = Job(workload=workload, task="finetune", method=method, targets=targets, seq_len=8, grad_checkpointing=True)
    text = program(job.model_copy(update={"grad_checkpointing": method in ("full", "lora")}), workload, 1)
    run(text)
    said = capsys.readouterr().out
    assert "no GPU" in said or "allocated" in said


@pytest.mark.parametrize("released", RELEASES)
def test_the_loop_has_the_habits_of_the_job(released: str) -> None:
    job = Job(workload="timm:resnet18", gradients_released=released, output_held=False)  # type: ignore[arg-type]
    text = program(job, job.workload, 1)
    assert RELEASES[released] in text
    lines = [line.strip() for line in text.splitlines()]
    assert lines.index("del output") < lines.index("loss.backward()")
    early = next(index for index, line in enumerate(lines) if line.startswith("optimizer.zero_grad"))
    assert (early < lines.index("loss.backward()")) == (released == "before-backward")


@pytest.mark.parametrize("changes", [{"workload": "python:mine.py:build"}, {"method": "qlora"}, {"loss": "fused"}])
def test_what_cannot_be_written_is_refused_in_one_line(changes: dict[str, str]) -> None:
    job = Job(**{"workload": "timm:resnet18", **changes})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="--check"):
        program(job, job.workload, 1)
