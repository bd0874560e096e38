"""Cases that tools like this one got wrong in public, as far as memory of inference goes."""

from dataclasses import replace

import pytest

from outboard import catalog
from outboard.catalog.model_files import language_model
from outboard.perf.serving.memory import Workload, memory
from outboard.perf.serving.quantisation import MIXES
from outboard.planner.serving import served


def test_a_cache_in_eight_bits_fits_one_card() -> None:
    """ollama/ollama#10128: Qwen2.5-7B-1M, Q4_K_M, 262144 tokens, cache in q8_0: 52 GB claimed, 11516 MiB measured."""
    model = replace(language_model("qwen2.5-7b"), context=1 << 20)
    work = Workload(262144, cache="q8_0")
    assert memory(model, MIXES["q4_k_m"], work).device == pytest.approx(11516 * 2**20, rel=0.10)
    one = served(model, "q4_k_m", catalog.place("p40"), work)
    assert one.fits and one.context == 262144


def test_what_is_projected_beyond_what_is_there_blocks() -> None:
    """ggml-org/llama.cpp#27872: 24,840 MiB projected, 22,341 MiB free, only a warning, and out of memory later."""
    model = language_model("mixtral-8x7b")
    one = served(model, "q4_k_m", catalog.place("rtx-3090"), Workload(8192))
    assert one.required > one.room
    assert not one.fits and one.speed is None and one.largest == 0


def test_context_is_bounded_by_what_weights_leave_on_each_card() -> None:
    """vllm-project/vllm#13061: 14 B in 16 bits on two RTX 4090: 13.95 GiB of weights a card, no 131,072 tokens."""
    model = replace(language_model("qwen2.5-14b"), context=131072)
    parts = memory(model, MIXES["bf16"], Workload(131072))
    assert (parts.weights + parts.host) / 2 == pytest.approx(13.95 * 2**30, rel=0.03)
    two = served(model, "bf16", catalog.place("rtx-4090x2"), Workload(131072))
    assert not two.fits
    assert 40_000 < two.largest < 131_072  # 81,536 with 98 % of the memory in use and vLLM's own buffers
    one = served(model, "bf16", catalog.place("rtx-4090"), Workload(4096))
    assert not one.fits and one.largest == 0


def test_weights_of_four_bits_that_fit_leave_little_for_the_cache() -> None:
    """vllm-project/vllm#11230: Qwen2.5-72B in GPTQ-Int4 on 47.7 GiB: it loads, and its 32,768 tokens do not fit."""
    model = language_model("qwen2.5-72b")
    one = served(model, "gptq", catalog.place("rtx-a6000"), Workload(32768))
    assert not one.fits and 0 < one.largest < 32768


def test_a_small_model_is_not_forecast_by_a_fixed_overhead() -> None:
    """gpustack/gguf-parser-go#42: Qwen3-0.6B fully on the device came out 65.8 % high."""
    model = language_model("qwen3-0.6b")
    parts = memory(model, MIXES["q8_0"], Workload(4096))
    count = 596e6 * 8.5 / 8
    assert count < parts.weights + parts.host < 1.35 * count  # a tied embedding lies on the host and on the device
    assert parts.buffers < 0.4e9
