"""Sizes of a model from the entries of a GGUF header; keys as llama.cpp writes them (gguf-py/gguf/constants.py)."""

from typing import Any, TypeGuard

from outboard.errors import FileError
from outboard.gguf.header import Header, Length, Tensor
from outboard.gguf.scan import printable
from outboard.i18n import _
from outboard.types.llm import LanguageModel

LARGEST = 2**31  # of any size of a model
# Architectures that write no text, or that keep a state of fixed size instead of keys and values.
ENCODERS = ("t5", "t5encoder", "gemma-embedding", "llama-embed", "eurobert")  # and every kind of BERT
RECURRENT = ("mamba", "mamba2", "rwkv6", "rwkv7", "rwkv6qwen2", "arwkv7")
PROJECTORS = ("clip", "mmproj")
# Of how many layers one sees everything, where the header does not say which.
PATTERNS = {"gemma2": 2, "gemma3": 6, "gpt-oss": 2, "cohere2": 4, "exaone4": 4}


def language_model(head: Header, tensors: list[Tensor], layers: int) -> LanguageModel:
    """The sizes; raises :class:`FileError` for what is missing or cannot be."""
    said = _Said(head)
    arch = said.architecture
    _refuse(head, arch)
    hidden, heads = said.size("embedding_length"), said.each("attention.head_count", layers)
    kv_heads = said.each("attention.head_count_kv", layers) if said.has("attention.head_count_kv") else heads
    most_heads = max(max(heads), 1)
    head_size = said.size("attention.key_length", hidden // most_heads)
    keeping = sum(1 for count in kv_heads if count)
    every = said.size("full_attention_interval", 0)
    keeping = layers // every if every else keeping  # the others keep a state of fixed size
    keeping -= min(said.size("attention.shared_kv_layers", 0), keeping)
    experts = said.size("expert_count", 0)
    window = said.size("attention.sliding_window", 0)
    kv_rank = said.size("attention.kv_lora_rank", 0)
    rope = said.size("rope.dimension_count", 0) if kv_rank else 0
    inner = max(said.each("feed_forward_length", layers)) if said.has("feed_forward_length") else 0
    return LanguageModel(
        id=head.path.stem,
        name=printable(str(head.said.get("general.name") or head.path.stem), 60),
        layers=layers,
        hidden=hidden,
        heads=most_heads,
        # Of layers of several widths the mean counts, rounded up: it gives the same cache.
        kv_heads=_mean(head, kv_heads, keeping),
        head_size=said.size("attention.key_length_mla", head_size) - rope if kv_rank else head_size,
        intermediate=inner,
        vocab=_vocabulary(head, said, tensors),
        context=said.size("context_length"),
        tied=not any(tensor.name == "output.weight" for tensor in tensors),
        experts=experts,
        active=min(said.size("expert_used_count", 0), experts),
        expert_size=said.size("expert_feed_forward_length", inner if experts else 0),
        shared_size=_shared(said, inner),
        dense_layers=min(said.size("leading_dense_block_count", 0), layers) if experts else 0,
        window=window,
        window_layers=_windowed(said, arch, layers) * keeping // layers if window else 0,
        cached_layers=keeping if keeping < layers else 0,
        kv_rank=kv_rank,
        q_rank=said.size("attention.q_lora_rank", 0),
        rope_size=rope,
        value_size=said.size("attention.value_length_mla", head_size) if kv_rank else 0,
        published=float(sum(tensor.elements for tensor in tensors)),
        source=str(head.path),
    )


class _Said:
    """Entries of the file's own architecture."""

    def __init__(self, head: Header) -> None:
        self.head = head
        name = head.said.get("general.architecture")
        if not isinstance(name, str) or not 0 < len(name) <= 64 or not name.isprintable():
            raise FileError(head.path, _("is missing; it does not say what model it is"), "general.architecture")
        self.architecture = name

    def has(self, name: str) -> bool:
        """Whether the file says it."""
        return f"{self.architecture}.{name}" in self.head.said

    def size(self, name: str, usual: int | None = None) -> int:
        """A whole number; ``usual`` where the file does not say, None: it must."""
        key = f"{self.architecture}.{name}"
        value = self.head.said.get(key, usual)
        if value is None:
            raise FileError(self.head.path, _("is missing; every model of its kind has one"), key)
        lowest = 0 if usual is not None else 1
        if not _whole(value) or not lowest <= value <= LARGEST:
            shown = _("a list") if isinstance(value, list | Length) else printable(str(value))
            text = _("must be a whole number from {lowest} to {most}, not {value}")
            raise FileError(self.head.path, text.format(lowest=lowest, most=LARGEST, value=shown), key)
        return value

    def each(self, name: str, layers: int) -> list[int]:
        """A number for each layer: one for all, or a list."""
        key = f"{self.architecture}.{name}"
        value = self.head.said.get(key)
        if not isinstance(value, list):
            return [self.size(name)] * layers
        if len(value) < layers or not all(_whole(one) and 0 <= one <= LARGEST for one in value):
            text = _("must be {count} whole numbers, one for each layer")
            raise FileError(self.head.path, text.format(count=layers), key)
        return [int(one) for one in value[:layers]]


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _refuse(head: Header, arch: str) -> None:
    if arch in PROJECTORS or head.said.get("general.type") in PROJECTORS:
        right = _("name the file of the model that it belongs to")
        raise FileError(head.path, _("holds a projector of images or sound, no language model"), "", right)
    causal = head.said.get(f"{arch}.attention.causal", True)
    if arch in ENCODERS or "-bert" in f"-{arch}" or causal is False:
        raise FileError(head.path, _("holds an encoder ({kind}), which writes no text").format(kind=printable(arch)))
    if arch in RECURRENT:
        text = _("holds a model without attention ({kind}), of which no forecast is made yet")
        raise FileError(head.path, text.format(kind=printable(arch)))


def _mean(head: Header, kv_heads: list[int], keeping: int) -> int:
    if not keeping or not any(kv_heads):
        raise FileError(head.path, _("no layer has keys and values; of such a model no forecast is made yet"))
    return -(-sum(kv_heads) // sum(1 for count in kv_heads if count))


def _vocabulary(head: Header, said: _Said, tensors: list[Tensor]) -> int:
    for tensor in tensors:
        if tensor.name == "token_embd.weight" and len(tensor.shape) == 2:
            return tensor.shape[1]
    raise FileError(head.path, _("is missing or no matrix; it holds no language model"), "token_embd.weight")


def _shared(said: _Said, inner: int) -> int:
    """Intermediate size of what works on every token beside the experts."""
    stated = said.size("expert_shared_feed_forward_length", 0)
    each = said.size("expert_feed_forward_length", inner)
    return stated or said.size("expert_shared_count", 0) * each


def _windowed(said: _Said, arch: str, layers: int) -> int:
    """How many layers see a window only. Where nothing tells, none: more memory is forecast rather than less."""
    pattern = said.head.said.get(f"{arch}.attention.sliding_window_pattern")
    if isinstance(pattern, list):
        return sum(bool(one) for one in pattern[:layers])
    every = pattern if _whole(pattern) and pattern > 0 else PATTERNS.get(arch)
    return layers - layers // every if every else 0
