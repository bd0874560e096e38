"""Parameters, weights and caches of language models against what is published of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outboard.catalog.model_files import language_model, models
from outboard.errors import UnknownNameError
from outboard.perf.serving import MIXES, parameters
from outboard.perf.serving.memory import Workload, buffers, cache_bytes, largest_context, memory

GIB, MIB = 2**30, 2**20
NAMES = st.sampled_from([model.id for model in models()])


@pytest.mark.parametrize("model", models(), ids=lambda model: model.id)
def test_parameters_are_those_that_are_published(model: object) -> None:
    assert parameters(model).total == pytest.approx(model.published, rel=1e-3)  # type: ignore[attr-defined]


def test_there_are_many_models_and_each_says_where_its_sizes_come_from() -> None:
    assert len(models()) >= 40
    assert all(model.source.count("/") == 1 for model in models())


@pytest.mark.parametrize(
    ("name", "kind", "size"),
    [
        ("llama-2-7b", "q4_0", 3.56),
        ("llama-2-7b", "f16", 12.55),
        ("llama-2-13b", "q4_0", 6.86),
        ("llama-2-70b", "q4_0", 36.20),
        ("llama-2-70b", "f16", 128.48),
        ("llama-3-8b", "q4_k_m", 4.58),
    ],
)
def test_files_are_as_large_as_llama_cpp_says(name: str, kind: str, size: float) -> None:
    """XiongjieDai/GPU-Benchmarks-on-LLM-Inference, logs of llama.cpp builds 1671 to 2843."""
    assert MIXES[kind].bytes(parameters(language_model(name))) / GIB == pytest.approx(size, abs=0.006)


def test_memory_is_what_llama_cpp_reports() -> None:
    """The same logs: weights, cache and buffers on the device, the embedding on the host."""
    old = memory(language_model("llama-2-7b"), MIXES["q4_0"], Workload(512, flash=False))
    assert old.device / MIB == pytest.approx(3904.05, abs=0.1)
    new = memory(language_model("llama-3-8b"), MIXES["q4_k_m"], Workload(8192, flash=False))
    assert new.weights / MIB == pytest.approx(4403.49, abs=0.1)
    assert new.host / MIB == pytest.approx(281.81, abs=0.01)
    assert new.cache / MIB == pytest.approx(1024.0)
    assert new.buffers / MIB == pytest.approx(560.0, abs=0.1)


def test_a_cache_of_latent_attention_is_small() -> None:
    """DeepSeek-V3 keeps 512 + 64 values in each of 61 layers: 70 kB a token in 16 bits."""
    assert cache_bytes(language_model("deepseek-v3"), 1) == 61 * 576 * 2


def test_a_window_bounds_the_cache_of_its_layers() -> None:
    model = language_model("gemma-2-9b")
    per_layer = 2 * model.kv_heads * model.head_size * 2
    assert cache_bytes(model, 8192) == 21 * per_layer * 8192 + 21 * per_layer * 4096


def test_a_narrower_cache_leaves_room_for_a_longer_context() -> None:
    """ollama/ollama#10128: the type of the cache decides whether a long context fits."""
    model, mix, room = language_model("qwen2.5-7b"), MIXES["q4_k_m"], 12e9
    lengths = [largest_context(model, mix, Workload(1, cache=kind), room) for kind in ("f16", "q8_0", "q4_0")]
    assert lengths[0] < lengths[1] <= lengths[2]


def test_experts_that_do_not_work_are_not_read() -> None:
    count = parameters(language_model("qwen3-30b-a3b"))
    assert count.active == pytest.approx(3.04e9, rel=0.01)
    assert MIXES["q4_k_m"].read(count) < 0.15 * MIXES["q4_k_m"].bytes(count)


@given(NAMES, st.integers(1, 65536), st.integers(1, 65536))
def test_a_longer_context_never_needs_less(name: str, one: int, other: int) -> None:
    model, (short, long) = language_model(name), sorted((one, other))
    sizes = [memory(model, MIXES["q4_k_m"], Workload(tokens)).device for tokens in (short, long)]
    assert sizes[0] <= sizes[1]
    assert buffers(model, Workload(long)) > 0


@given(NAMES)
def test_fewer_bits_never_need_more(name: str) -> None:
    count = parameters(language_model(name))
    sizes = [MIXES[kind].bytes(count) for kind in ("f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k")]
    assert sizes == sorted(sizes, reverse=True)


def test_a_model_that_is_not_known_lists_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"llama-3\.1-8b"):
        language_model("llama-3.1-9b")
