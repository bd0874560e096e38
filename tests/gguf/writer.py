"""A tiny writer of GGUF files: a header as llama.cpp writes it, and as many zeros as its tensors take."""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from outboard.gguf.kinds import KINDS

NUMBERS = {kind.name: number for number, kind in KINDS.items()}
Shape = tuple[int, ...]


def string(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def value(said: Any) -> bytes:
    """With its type before it: numbers as uint32, lists by their first value."""
    if isinstance(said, bool):
        return struct.pack("<IB", 7, said)
    if isinstance(said, int):
        return struct.pack("<II", 4, said) if said >= 0 else struct.pack("<Ii", 5, said)
    if isinstance(said, float):
        return struct.pack("<If", 6, said)
    if isinstance(said, str):
        return struct.pack("<I", 8) + string(said)
    first = value(said[0])
    kind, rest = first[:4], [value(one)[4:] for one in said]
    return struct.pack("<I", 9) + kind + struct.pack("<Q", len(said)) + b"".join(rest)


def encode(
    said: Mapping[str, Any], tensors: Mapping[str, tuple[Shape, str]], version: int = 3, alignment: int = 32
) -> tuple[bytes, int]:
    """The header, and how many bytes the file has with its tensors."""
    out = [b"GGUF", struct.pack("<IQQ", version, len(tensors), len(said))]
    out += [string(key) + value(one) for key, one in said.items()]
    offset = 0
    for name, (shape, kind) in tensors.items():
        number = NUMBERS[kind]
        out.append(string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, number, offset))
        size = 1
        for length in shape:
            size *= length
        offset += -(-size // KINDS[number].values * KINDS[number].bytes // alignment) * alignment
    header = b"".join(out)
    return header, -(-len(header) // alignment) * alignment + offset


def write(path: Path, said: Mapping[str, Any], tensors: Mapping[str, tuple[Shape, str]], **how: int) -> Path:
    """Write it; the tensors are a hole in the file and take no disk."""
    header, size = encode(said, tensors, **how)
    with path.open("wb") as file:
        file.write(header)
        file.truncate(size)
    return path


def llama(
    layers: int = 2,
    hidden: int = 256,
    heads: int = 4,
    kv_heads: int = 2,
    inner: int = 512,
    vocab: int = 512,
    kind: str = "q4_k",
    head: str | None = "q6_k",
    words: Sequence[str] = (),
) -> tuple[dict[str, Any], dict[str, tuple[Shape, str]]]:
    """Entries and tensors of a Llama; ``head`` None: tied to the embedding."""
    said: dict[str, Any] = {
        "general.architecture": "llama",
        "general.name": "Tiny",
        "general.file_type": 15,
        "llama.block_count": layers,
        "llama.context_length": 4096,
        "llama.embedding_length": hidden,
        "llama.feed_forward_length": inner,
        "llama.attention.head_count": heads,
        "llama.attention.head_count_kv": kv_heads,
    }
    if words:
        said["tokenizer.ggml.tokens"] = list(words)
    narrow = hidden // heads * kv_heads
    tensors: dict[str, tuple[Shape, str]] = {"token_embd.weight": ((hidden, vocab), kind)}
    for i in range(layers):
        tensors |= {
            f"blk.{i}.attn_norm.weight": ((hidden,), "f32"),
            f"blk.{i}.attn_q.weight": ((hidden, hidden), kind),
            f"blk.{i}.attn_k.weight": ((hidden, narrow), kind),
            f"blk.{i}.attn_v.weight": ((hidden, narrow), "q6_k" if kind == "q4_k" else kind),
            f"blk.{i}.attn_output.weight": ((hidden, hidden), kind),
            f"blk.{i}.ffn_norm.weight": ((hidden,), "f32"),
            f"blk.{i}.ffn_gate.weight": ((hidden, inner), kind),
            f"blk.{i}.ffn_up.weight": ((hidden, inner), kind),
            f"blk.{i}.ffn_down.weight": ((inner, hidden), kind),
        }
    tensors["output_norm.weight"] = ((hidden,), "f32")
    if head:
        tensors["output.weight"] = ((hidden, vocab), head)
    return said, tensors
