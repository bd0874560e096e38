"""Limits and laws of the speed of language models."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outboard import catalog
from outboard.catalog.model_files import language_model, models
from outboard.perf.serving import MIXES
from outboard.perf.serving.memory import Workload
from outboard.perf.serving.speed import decode_seconds, prefill_seconds, speed
from outboard.planner.serving import best, most_users, served

NAMES = st.sampled_from([model.id for model in models()])
GPU = catalog.device("rtx-3090")


@given(NAMES, st.integers(1, 32000), st.integers(1, 32000))
def test_a_longer_context_is_never_faster(name: str, one: int, other: int) -> None:
    model, (short, long) = language_model(name), sorted((one, other))
    for seconds in (decode_seconds, prefill_seconds):
        assert seconds(model, MIXES["q4_k_m"], GPU, short) <= seconds(model, MIXES["q4_k_m"], GPU, long)


@given(NAMES, st.integers(1, 64))
def test_more_users_are_served_faster_together_and_slower_each(name: str, users: int) -> None:
    model, mix = language_model(name), MIXES["q4_k_m"]
    one, many = (decode_seconds(model, mix, GPU, 1024, count) for count in (users, users + 1))
    assert one <= many * (1 + 1e-9)
    assert users / one <= (users + 1) / many * (1 + 1e-9)


def test_a_mixture_writes_faster_than_a_dense_model_of_its_size() -> None:
    """AlexsJones/llmfit#474: what counts for speed are the active experts' bytes."""
    mixed, dense = (
        decode_seconds(language_model(name), MIXES["q4_k_m"], GPU, 1024) for name in ("qwen3-30b-a3b", "qwen2.5-32b")
    )
    assert 5 * mixed < dense


def test_an_rtx_3090_writes_as_fast_as_was_measured() -> None:
    """XiongjieDai/GPU-Benchmarks-on-LLM-Inference: Llama-3-8B in Q4_K_M, 1024 tokens: 111.74 tokens/s."""
    found = speed(language_model("llama-3-8b"), MIXES["q4_k_m"], GPU, 512)
    low, high = found.band("decode")
    assert low < 111.74 < high


def test_the_widest_quantisation_that_fits_is_taken() -> None:
    place, model = catalog.place("rtx-3060-12gb@tb3"), language_model("llama-3.1-8b")
    one = best(model, place, Workload(8192))
    assert one.quantisation == "q8_0" and one.fits
    assert not served(model, "f16", place, Workload(8192)).fits
    assert one.largest >= 8192


def test_what_does_not_fit_has_no_speed() -> None:
    one = best(language_model("deepseek-v3"), catalog.place("rtx-3090"), Workload(4096))
    assert not one.fits and one.speed is None and one.largest == 0


def test_several_devices_hold_layers_in_turn() -> None:
    """vllm-project/vllm#13061 and like cases: memory adds up, less the buffers of each."""
    model = language_model("llama-3.3-70b")
    one, two = (served(model, "q4_k_m", catalog.place(name), Workload(4096)) for name in ("rtx-3090", "rtx-3090x2"))
    assert not one.fits and two.fits


@pytest.mark.parametrize("rate", [5.0, 20.0])
def test_more_users_than_that_would_get_less(rate: float) -> None:
    place, model = catalog.place("rtx-3090"), language_model("llama-3.1-8b")
    count = most_users(model, "q4_k_m", place, Workload(2048), rate)
    assert count >= 1
    at = served(model, "q4_k_m", place, Workload(2048, users=count))
    assert at.speed is not None and at.speed.together / count >= rate
    beyond = served(model, "q4_k_m", place, Workload(2048, users=count + 1))
    assert beyond.speed is None or beyond.speed.together / (count + 1) < rate


def test_where_no_rates_are_known_the_speed_is_unknown() -> None:
    one = served(language_model("llama-3.2-1b"), "q4_k_m", catalog.place("rtx-3090"), Workload(1024))
    here = replace(catalog.place("rtx-3090"), device=replace(GPU, vendor="other"))
    assert one.speed is not None
    other = served(language_model("llama-3.2-1b"), "q4_k_m", here, Workload(1024))
    assert other.fits and other.speed is None
