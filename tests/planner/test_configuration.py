"""Configurations as their authors publish them, and what they must count to."""

import json
from pathlib import Path
from typing import Any

import pytest

from outboard.catalog.model_files import language_model
from outboard.errors import FileError
from outboard.perf.serving import parameters
from outboard.planner.serving import source

# The keys that matter of the published files.
PUBLISHED: dict[str, dict[str, Any]] = {
    "llama-3.1-8b": {
        "model_type": "llama",
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "vocab_size": 128256,
        "max_position_embeddings": 131072,
        "tie_word_embeddings": False,
    },
    "qwen2.5-7b": {
        "model_type": "qwen2",
        "hidden_size": 3584,
        "intermediate_size": 18944,
        "num_hidden_layers": 28,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "vocab_size": 152064,
        "max_position_embeddings": 131072,
        "sliding_window": 131072,
        "use_sliding_window": False,
        "tie_word_embeddings": False,
    },
    "gemma-2-9b": {
        "model_type": "gemma2",
        "hidden_size": 3584,
        "intermediate_size": 14336,
        "num_hidden_layers": 42,
        "num_attention_heads": 16,
        "num_key_value_heads": 8,
        "head_dim": 256,
        "vocab_size": 256000,
        "max_position_embeddings": 8192,
        "sliding_window": 4096,
    },
    "mixtral-8x7b": {
        "model_type": "mixtral",
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "num_local_experts": 8,
        "num_experts_per_tok": 2,
        "vocab_size": 32000,
        "max_position_embeddings": 32768,
        "sliding_window": None,
        "tie_word_embeddings": False,
    },
    "deepseek-v3": {
        "model_type": "deepseek_v3",
        "hidden_size": 7168,
        "intermediate_size": 18432,
        "moe_intermediate_size": 2048,
        "num_hidden_layers": 61,
        "num_attention_heads": 128,
        "num_key_value_heads": 128,
        "n_routed_experts": 256,
        "n_shared_experts": 1,
        "num_experts_per_tok": 8,
        "first_k_dense_replace": 3,
        "kv_lora_rank": 512,
        "q_lora_rank": 1536,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "v_head_dim": 128,
        "vocab_size": 129280,
        "max_position_embeddings": 163840,
        "tie_word_embeddings": False,
    },
}


def written(folder: Path, said: object) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(said), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_configuration_is_the_model_that_is_known(name: str, tmp_path: Path) -> None:
    folder = written(tmp_path / name, PUBLISHED[name])
    for text in (f"hf:{folder}", f"hf:{folder / 'config.json'}", str(folder)):
        found, known = source(text).model, language_model(name)
        assert parameters(found).total == pytest.approx(known.published, rel=1e-3)
        assert parameters(found).active == pytest.approx(parameters(known).active, rel=1e-3)
        assert (found.window_layers, found.kv_rank, found.tied) == (known.window_layers, known.kv_rank, known.tied)


def test_a_model_that_sees_keeps_its_words_apart(tmp_path: Path) -> None:
    folder = written(tmp_path / "m", {"model_type": "mllama", "text_config": PUBLISHED["llama-3.1-8b"]})
    assert source(f"hf:{folder}").model.layers == 32


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ([], "holds no keys"),
        ({}, "hidden_size: is missing"),
        ({**PUBLISHED["llama-3.1-8b"], "num_attention_heads": 0}, "num_attention_heads: must be .* not 0"),
        ({**PUBLISHED["llama-3.1-8b"], "vocab_size": "many"}, "vocab_size: must be .* not many"),
        ({**PUBLISHED["llama-3.1-8b"], "num_hidden_layers": 10**12}, "num_hidden_layers: must be"),
        ({"model_type": "bert"}, "encoder"),
    ],
)
def test_what_is_wrong_is_named(said: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=message):
        source(f"hf:{written(tmp_path / 'm', said)}")


def test_what_is_no_json_is_one_clear_line(tmp_path: Path) -> None:
    folder = written(tmp_path / "m", {})
    (folder / "config.json").write_text("{" * 9, encoding="utf-8")
    with pytest.raises(FileError, match="cannot be read"):
        source(f"hf:{folder}")
