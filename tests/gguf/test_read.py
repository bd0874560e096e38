"""Model files of llama.cpp: what is read of good ones, and what is said of bad ones."""

import struct
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outboard.catalog.model_files import language_model
from outboard.errors import FileError
from outboard.gguf import read
from outboard.gguf.kinds import KINDS
from outboard.perf.serving import MIXES, parameters
from outboard.perf.serving.memory import Workload, cache_bytes, memory
from outboard.perf.serving.weights import weights
from tests.gguf.writer import encode, llama, string, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tiny.gguf"


def raw(path: Path, content: bytes, more: int = 0) -> Path:
    with path.open("wb") as file:
        file.write(content)
        file.truncate(len(content) + more)
    return path


@pytest.mark.parametrize("version", [2, 3])
def test_sizes_and_bytes_of_each_type(path: Path, version: int) -> None:
    found = read(write(path, *llama(words=["a", "bc", ""]), version=version))
    model = found.model
    assert (model.layers, model.hidden, model.heads, model.kv_heads, model.head_size) == (2, 256, 4, 2, 64)
    assert (model.intermediate, model.vocab, model.context, model.tied) == (512, 512, 4096, False)
    assert found.weights.name == "q4_k_m"
    wide = 512 * 256 + 2 * 256 * 128  # head, and the values of two layers
    narrow = 512 * 256 + 2 * (2 * 256 * 256 + 256 * 128 + 3 * 256 * 512)
    assert found.kinds == {"q4_k": narrow * 144 // 256, "q6_k": wide * 210 // 256, "f32": 5 * 256 * 4}
    assert found.weights.total == sum(found.kinds.values())
    assert found.weights.count.total == model.published == parameters(model).total


def test_a_file_of_a_known_model_needs_what_its_name_needs(path: Path) -> None:
    """The real sizes of Llama 2 7B in Q4_0: what llama.cpp reported is what the file gives, to the byte of the mix."""
    said, tensors = llama(32, 4096, 32, 32, 11008, 32000, "q4_0")
    found = read(write(path, said | {"general.file_type": 2}, tensors))
    known = language_model("llama-2-7b")
    assert found.weights.name == "q4_0"
    assert found.weights.total == pytest.approx(MIXES["q4_0"].bytes(parameters(known)), rel=1e-9)
    for work in (Workload(512, flash=False), Workload(4096, users=3)):
        assert memory(found.model, found.weights, work) == memory(known, weights(known, MIXES["q4_0"]), work)


def test_a_tied_embedding_is_the_head_as_well(path: Path) -> None:
    found = read(write(path, *llama(head=None)))
    assert found.model.tied and found.weights.shared == found.weights.embedding
    assert found.weights.head == found.weights.embedding + 256 * 4
    assert found.weights.total == sum(found.kinds.values())


def test_experts_are_told_apart(path: Path) -> None:
    said, tensors = llama()
    said |= {"llama.expert_count": 8, "llama.expert_used_count": 2, "llama.expert_feed_forward_length": 256}
    for i in range(2):
        for part in ("gate", "up", "down"):
            del tensors[f"blk.{i}.ffn_{part}.weight"]
            tensors[f"blk.{i}.ffn_{part}_exps.weight"] = ((256, 256, 8), "q4_k")
        tensors[f"blk.{i}.ffn_gate_inp.weight"] = ((256, 8), "f32")
    found = read(write(path, said, tensors))
    each = 3 * 8 * 256 * 256
    assert found.weights.experts == (each * 144 / 256,) * 2
    assert found.weights.count.active_share == 0.25
    assert found.weights.read == pytest.approx(found.weights.device - 0.75 * 2 * each * 144 / 256)
    assert parameters(found.model).total == found.weights.count.total


def test_layers_without_keys_keep_no_cache(path: Path) -> None:
    said, tensors = llama(layers=4)
    found = read(write(path, said | {"llama.attention.head_count_kv": [2, 0, 0, 2]}, tensors))
    assert found.model.cached_layers == 2
    assert cache_bytes(found.model, 100) == 2 * 2 * 2 * 64 * 100 * 2


def test_layers_that_share_their_keys_keep_none(path: Path) -> None:
    said, tensors = llama(layers=4)
    said |= {"llama.attention.shared_kv_layers": 2, "llama.attention.sliding_window": 64}
    found = read(write(path, said | {"llama.attention.sliding_window_pattern": [True, True, False, False]}, tensors))
    assert (found.model.cached_layers, found.model.window_layers) == (2, 1)


def test_a_window_is_read(path: Path) -> None:
    said, tensors = llama(layers=4)
    said |= {"llama.attention.sliding_window": 128, "llama.attention.sliding_window_pattern": [True, True, True, False]}
    assert read(write(path, said, tensors)).model.window_layers == 3


def test_latent_attention_is_read(path: Path) -> None:
    said, tensors = llama()
    latent = {"attention.kv_lora_rank": 512, "rope.dimension_count": 64, "attention.key_length": 576}
    latent |= {"attention.key_length_mla": 192, "attention.value_length_mla": 128}
    found = read(write(path, said | {f"llama.{key}": one for key, one in latent.items()}, tensors))
    assert cache_bytes(found.model, 1) == 2 * 576 * 2
    assert (found.model.head_size, found.model.value_size) == (128, 128)


def test_parts_of_a_split_model_are_read_together(tmp_path: Path) -> None:
    said, tensors = llama()
    names = list(tensors)
    halves = [{name: tensors[name] for name in names[:9]}, {name: tensors[name] for name in names[9:]}]
    whole = read(write(tmp_path / "whole.gguf", said, tensors))
    first = write(tmp_path / "m-00001-of-00002.gguf", said, halves[0])
    with pytest.raises(FileError, match=r"m-00002-of-00002\.gguf is not there"):
        read(first)
    write(tmp_path / "m-00002-of-00002.gguf", {"split.no": 1}, halves[1])
    assert read(first).kinds == whole.kinds


SAID, TENSORS = llama()


def changed(**change: Any) -> dict[str, Any]:
    return SAID | {key.replace("__", "."): one for key, one in change.items()}


@pytest.mark.parametrize(
    ("said", "tensors", "message"),
    [
        (changed(general__architecture="clip"), TENSORS, "projector"),
        (changed(general__type="mmproj"), TENSORS, "projector"),
        (changed(general__architecture="bert"), TENSORS, "encoder"),
        (changed(llama__attention__causal=False), TENSORS, "encoder"),
        (changed(general__architecture="nomic-bert-moe"), TENSORS, "encoder"),
        (changed(general__architecture="mamba"), TENSORS, "without attention"),
        (changed(general__architecture=7), TENSORS, r"general\.architecture: is missing"),
        (changed(llama__embedding_length=0), TENSORS, r"llama\.embedding_length: must be .* not 0"),
        (changed(llama__embedding_length=-5), TENSORS, r"llama\.embedding_length: must be .* not -5"),
        (changed(llama__context_length="long"), TENSORS, r"llama\.context_length: must be"),
        (changed(llama__attention__head_count_kv=[1]), TENSORS, "must be 2 whole numbers"),
        (changed(llama__attention__head_count_kv=[0, 0]), TENSORS, "no layer has keys"),
        (changed(general__alignment=33), TENSORS, "power of two"),
        ({key: one for key, one in SAID.items() if "context" not in key}, TENSORS, r"context_length: is missing"),
        (SAID, {"token_embd.weight": ((256, 512), "q4_k")}, "no layers"),
        (SAID, {key: one for key, one in TENSORS.items() if "blk.0" not in key}, "layer 0 is missing"),
        (SAID, {key: one for key, one in TENSORS.items() if "embd" not in key}, "token_embd"),
        (SAID, {"blk.0.a": ((100, 2), "q4_k")}, "rows of 100 values"),
        (SAID, {"blk.0.a": ((1, 1, 1, 1, 1), "f32")}, "5 dimensions"),
    ],
)
def test_what_is_wrong_is_named(path: Path, said: dict[str, Any], tensors: Any, message: str) -> None:
    with pytest.raises(FileError, match=message):
        read(write(path, said, tensors))


HEAD = b"GGUF" + struct.pack("<I", 3)
KEY = string("k")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "does not begin with GGUF"),
        (b"GG", "does not begin with GGUF"),
        (b"PK\x03\x04" * 9, "does not begin with GGUF"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version 1; known: 2, 3"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big endian"),
        (HEAD, "ends within"),
        (HEAD + struct.pack("<QQ", 2**63, 0), "number of tensors is 9223372036854775808"),
        (HEAD + struct.pack("<QQ", 0, 2**40), "number of entries is 1099511627776"),
        (HEAD + struct.pack("<QQ", 0, 0), "no layers"),
        (HEAD + struct.pack("<QQQ", 0, 1, 2**50) + bytes(99), "a key is 1125899906842624 bytes long"),
        (HEAD + struct.pack("<QQ", 0, 1) + KEY + struct.pack("<I", 77) + bytes(9), "its type is 77"),
        (HEAD + struct.pack("<QQ", 0, 1) + KEY + struct.pack("<IQ", 8, 2**30) + bytes(9), "at most"),
        (HEAD + struct.pack("<QQ", 0, 1) + KEY + struct.pack("<IIQ", 9, 10, 2**61) + bytes(9), "too short"),
        (HEAD + struct.pack("<QQ", 0, 1) + KEY + struct.pack("<IIQQ", 9, 8, 1, 2**63) + bytes(9), "ends within k"),
        (HEAD + struct.pack("<QQ", 0, 1) + KEY + struct.pack("<I", 9) * 40, "values are of type 9|too short"),
        (HEAD + struct.pack("<QQQ", 0, 1, 2) + b"\xff\xfe" + bytes(20), "no UTF-8"),
        (HEAD + struct.pack("<QQ", 0, 2) + (KEY + struct.pack("<II", 4, 1)) * 2, "stands there twice"),
        (HEAD + struct.pack("<QQ", 1, 0) + KEY + struct.pack("<IQIQ", 1, 8, 5, 0), "of type 5, which is not known"),
        (HEAD + struct.pack("<QQ", 1, 0) + KEY + struct.pack("<I4QIQ", 4, *[2**60] * 4, 0, 0), "more values"),
        (HEAD + struct.pack("<QQ", 1, 0) + KEY + struct.pack("<IQIQ", 1, 8, 0, 7) + bytes(99), "no multiple of 32"),
        (HEAD + struct.pack("<QQ", 1, 0) + KEY + struct.pack("<IQIQ", 1, 999, 0, 0) + bytes(9), "it is not whole"),
    ],
)
def test_a_damaged_header_is_one_clear_line(path: Path, content: bytes, message: str) -> None:
    with pytest.raises(FileError, match=message):
        read(raw(path, content))


@pytest.mark.parametrize("name", ["blk.999999999.a", "blk." + "9" * 5000 + ".a", "blk.7.a"])
def test_a_layer_of_a_huge_number_costs_nothing(path: Path, name: str) -> None:
    with pytest.raises(FileError, match=r"layer 0 is missing|layer 2 is missing|no layers"):
        read(write(path, SAID, {name: ((32,), "f32")}))
    with pytest.raises(FileError, match="layer 2 is missing") if len(name) < 12 else pytest.raises(FileError):
        read(write(path, SAID, TENSORS | {"blk.4000000.a": ((32,), "f32")}))


def test_what_a_file_says_stays_in_one_line(path: Path) -> None:
    found = read(write(path, SAID | {"general.name": "Tiny\n\x1b[31m" + "x" * 999}, TENSORS))
    assert found.model.name.startswith("Tiny  [31mxxx") and len(found.model.name) == 60
    with pytest.raises(FileError) as caught:
        read(write(path, SAID, {"a\nb" * 999: ((1, 1, 1, 1, 1), "f32")}))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600


def test_tensors_must_not_lie_in_each_other(path: Path) -> None:
    one = string("a") + struct.pack("<IQIQ", 1, 64, 0, 0)
    other = string("b") + struct.pack("<IQIQ", 1, 64, 0, 32)
    with pytest.raises(FileError, match="b: lies in a"):
        read(raw(path, HEAD + struct.pack("<QQ", 2, 0) + one + other, 999))


def test_a_folder_or_nothing_is_one_clear_line(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no.gguf"):
        with pytest.raises(FileError, match="directory"):
            read(path)


def test_a_huge_file_of_empty_words_is_refused_soon_and_without_memory(path: Path) -> None:
    """A terabyte of zeros, which is a list of empty strings as long as one reads on."""
    start = HEAD + struct.pack("<QQ", 0, 1) + KEY + struct.pack("<IIQ", 9, 8, 2**17)
    tracemalloc.start()
    with pytest.raises(FileError):
        read(raw(path, start, 2**40))
    assert tracemalloc.get_traced_memory()[1] < 2**25
    tracemalloc.stop()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(0, 2000))
def test_a_file_that_was_cut_is_never_taken_for_whole(path: Path, kept: int) -> None:
    header, size = encode(SAID, TENSORS)
    cut = (header + bytes(64))[: min(kept, size - 1)]
    with pytest.raises(FileError):
        read(raw(path, cut))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)
@given(st.data())
def test_whatever_is_changed_there_is_an_answer_or_one_clear_line(path: Path, data: st.DataObject) -> None:
    header, size = encode(SAID, TENSORS)
    content = bytearray(header)
    for _change in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(4, len(content) - 1))
        piece = data.draw(st.binary(min_size=1, max_size=9))
        content[at : at + len(piece)] = piece
    try:
        found = read(raw(path, bytes(content), size - len(header)))
    except FileError as error:
        assert "\n" not in str(error)
    else:
        assert 0 < found.weights.total <= path.stat().st_size + 256 * 512 * 4


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=400), st.sampled_from([2, 3]), st.integers(0, 3), st.integers(0, 5))
def test_noise_is_refused(path: Path, noise: bytes, version: int, tensors: int, entries: int) -> None:
    with pytest.raises(FileError):
        read(raw(path, b"GGUF" + struct.pack("<IQQ", version, tensors, entries) + noise))


def test_types_are_those_that_the_mixes_count_with() -> None:
    from outboard.perf.serving.quantisation import BITS

    for kind in KINDS.values():
        if kind.name in BITS:
            assert BITS[kind.name] == 8 * kind.bytes / kind.values
