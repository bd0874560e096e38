"""Sizes of a language model from the ``config.json`` that its authors publish on a hub.

Keys as transformers writes them; families that say the same by another key are told by ``model_type``. What a family
means without saying it (two matrices instead of three, biases, tied embeddings) stands here.
"""

import json
from pathlib import Path
from typing import Any, cast

from outboard.errors import FileError
from outboard.i18n import _
from outboard.types.llm import LanguageModel

NAME = "config.json"
LARGEST_FILE = 2**22  # [B]
LARGEST = 2**31  # of any size of a model
TIED = ("gemma", "gemma2", "gemma3_text", "cohere", "cohere2")  # where the file does not say
BIASED = ("qwen2", "qwen2_moe")
UNGATED = ("gpt2", "gpt_neox", "opt", "bloom", "falcon", "phi", "starcoder2", "gpt_bigcode", "mpt")
ENCODERS = ("bert", "roberta", "distilbert", "xlm-roberta", "modernbert", "deberta-v2", "t5", "clip")
# Of how many layers one sees everything, where a window is stated and no list of layers.
PATTERNS = {"gemma2": 2, "gemma3_text": 6, "gpt_oss": 2, "cohere2": 4}


def is_configuration(text: str) -> bool:
    """Whether a path is a folder with such a file, or the file."""
    path = Path(text)
    return path.is_file() if path.name == NAME else (path / NAME).is_file()


def configured(text: str) -> LanguageModel:
    """The sizes. Raises :class:`FileError` for what is missing or cannot be."""
    path = Path(text) if Path(text).name == NAME else Path(text) / NAME
    said = _Said(path)
    kind = said.kind
    if kind in ENCODERS:
        raise FileError(path, _("holds an encoder ({kind}), which writes no text").format(kind=kind))
    hidden, layers = (
        said.size("hidden_size", "n_embd", "d_model"),
        said.size("num_hidden_layers", "n_layer", "n_layers"),
    )
    heads = said.size("num_attention_heads", "n_head", "n_heads")
    experts = said.optional("num_local_experts", "n_routed_experts", "num_experts")
    inner = said.optional("intermediate_size", "n_inner", "ffn_dim") or 4 * hidden
    each = said.optional("moe_intermediate_size") or (inner if experts else 0)
    window = said.optional("sliding_window") if said.text.get("use_sliding_window", True) else 0
    kv_rank = said.optional("kv_lora_rank")
    rope = said.optional("qk_rope_head_dim") if kv_rank else 0
    return LanguageModel(
        id=path.resolve().parent.name,
        name=path.resolve().parent.name,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=said.optional("num_key_value_heads", "n_head_kv") or (1 if said.text.get("multi_query") else heads),
        head_size=said.optional("qk_nope_head_dim", "head_dim") or hidden // heads,
        intermediate=inner,
        vocab=said.size("vocab_size"),
        context=said.size("max_position_embeddings", "n_positions", "max_seq_len"),
        tied=bool(said.text.get("tie_word_embeddings", kind in TIED)),
        gated=kind not in UNGATED,
        bias=bool(said.text.get("attention_bias", kind in BIASED)),
        experts=experts,
        active=min(said.optional("num_experts_per_tok", "num_experts_per_token", "experts_per_token"), experts),
        expert_size=each,
        shared_size=said.optional("shared_expert_intermediate_size") or said.optional("n_shared_experts") * each,
        dense_layers=min(said.optional("first_k_dense_replace"), layers) if experts else 0,
        window=window,
        window_layers=_windowed(said, layers) if window else 0,
        kv_rank=kv_rank,
        q_rank=said.optional("q_lora_rank"),
        rope_size=rope,
        value_size=said.optional("v_head_dim") if kv_rank else 0,
        source=str(path),
    )


class _Said:
    """What the file says of the part that writes text; models that see as well keep it in ``text_config``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = _read(path)
        inner = self.text.get("text_config")
        if isinstance(inner, dict):
            outer = {key: value for key, value in self.text.items() if key == "tie_word_embeddings"}
            self.text = {**outer, **cast("dict[str, Any]", inner)}
        self.kind = str(self.text.get("model_type", ""))

    def size(self, *names: str) -> int:
        """The first of ``names`` that is said; one must be."""
        for name in names:
            if self.text.get(name) is not None:
                return self._checked(name, 1)
        raise FileError(self.path, _("is missing; every language model has one"), names[0])

    def optional(self, *names: str) -> int:
        """The first of ``names`` that is said, else 0."""
        return next((self._checked(name, 0) for name in names if self.text.get(name) is not None), 0)

    def _checked(self, name: str, lowest: int) -> int:
        value = self.text[name]
        if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= LARGEST:
            text = _("must be a whole number from {lowest} to {most}, not {value}")
            raise FileError(self.path, text.format(lowest=lowest, most=LARGEST, value=str(value)[:40]), name)
        return value


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise FileError(path, _("is too large to be such a file"))
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise FileError(path, _("cannot be read: {error}").format(error=error)) from None
    if not isinstance(found, dict):
        raise FileError(path, _("holds no keys"))
    return cast("dict[str, Any]", found)


def _windowed(said: _Said, layers: int) -> int:
    """How many layers see a window only: by their list, by the family's pattern, else all, as Mistral's first."""
    kinds = said.text.get("layer_types")
    if isinstance(kinds, list):
        return sum("sliding" in str(one) for one in cast("list[Any]", kinds)[:layers])
    every = said.optional("sliding_window_pattern") or PATTERNS.get(said.kind, 0)
    return layers - layers // every if every else layers
