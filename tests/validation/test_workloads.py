"""Names of models."""

import json

import pytest

from outboard.validation.workloads import FOLDER, resolve, shown

MEANT = {
    "timm:resnet50": "timm:resnet50",
    "hf:org/name": "hf:org/name",
    "step.trace": "step.trace",
    "zoo:bert_large": "zoo:bert-large",
    "bert_large": "zoo:bert-large",
    "GPT2-Large": "zoo:gpt2-large",
    "zoo:opt_13": "hf:opt-1.3b",
    "gpt3_27": "hf:gpt3-2.7b.json",
    "zoo:gpt3_xl": "hf:gpt3-xl.json",
    "meta-llama/Llama-2-7B": "hf:meta-llama/Llama-2-7B",
    "hf:Qwen 2.5 3B Instruct": "hf:qwen2.5-3b",
    "hf:meta-llama/Llama-2-7b-hf": "hf:llama-2-7b",
    "Meta-Llama-3-8B-Instruct": "hf:llama-3-8b",
    "hf:google-bert/bert-base-uncased": "hf:google-bert/bert-base-uncased",
    "hf:nobody/knows-this-chat": "hf:nobody/knows-this-chat",
    "convnext_tiny": "zoo:convnext_tiny",
    "edgenext_small": "timm:edgenext_small",
}


@pytest.mark.parametrize(("name", "workload"), MEANT.items(), ids=MEANT)
def test_names_in_the_wild(name: str, workload: str) -> None:
    assert shown(resolve(name).workload) == workload


def test_only_a_guess_is_announced() -> None:
    assert resolve("timm:resnet50").origin == resolve("zoo:bert_large").origin == ""
    assert "Devlin" in resolve("bert_large").origin
    assert "Brown" in resolve("zoo:gpt3_xl").origin


def test_configurations_have_the_parameters_that_are_published() -> None:
    billions = {"gpt3-xl": 1.3, "gpt3-2.7b": 2.7}
    for name, published in billions.items():
        config = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        counted = 12 * config["n_layer"] * config["n_embd"] ** 2 + (50257 + 2048) * config["n_embd"]
        assert counted == pytest.approx(published * 1e9, rel=0.02)
