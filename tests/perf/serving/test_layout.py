"""Where weights lie, and how fast a model is that does not lie on one device."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outboard import catalog
from outboard.catalog.model_files import language_model, models
from outboard.perf.serving import MIXES
from outboard.perf.serving.layout import Layout, everything, on_host, per_device, sides
from outboard.perf.serving.memory import Workload, memory
from outboard.perf.serving.places import decode, prefill, rates, usual_host
from outboard.perf.serving.speed import decode_seconds, prefill_seconds
from outboard.perf.serving.weights import weights

NAMES = st.sampled_from([model.id for model in models()])
MIX = MIXES["q4_k_m"]
WORK = Workload(4096)
PLACE = catalog.place("rtx-3060-12gb@tb3")
MIB = 2**20


@given(NAMES, st.sampled_from(["f16", "q4_k_m", "q2_k"]))
def test_layers_add_up_to_what_the_mix_takes(name: str, kind: str) -> None:
    model, mix = language_model(name), MIXES[kind]
    lying = weights(model, mix)
    assert lying.total == pytest.approx(mix.bytes(lying.count), rel=1e-9)
    assert lying.read == pytest.approx(mix.read(lying.count), rel=1e-9)
    assert len(lying.layers) == model.layers


@given(NAMES, st.data())
def test_nothing_is_lost_when_a_model_is_cut(name: str, data: st.DataObject) -> None:
    model = language_model(name)
    lying = weights(model, MIX)
    layers, head = data.draw(st.integers(0, model.layers)), data.draw(st.booleans())
    cut = sides(model, lying, Layout(layers, head, data.draw(st.booleans())))
    assert cut.device.device + cut.host.device == pytest.approx(lying.device, rel=1e-9)
    assert cut.device.read + cut.host.read == pytest.approx(lying.read, rel=1e-9)


@given(NAMES)
def test_all_on_one_device_is_what_it_was(name: str) -> None:
    model = language_model(name)
    lying, layout = weights(model, MIX), everything(model)
    assert per_device(model, lying, WORK, layout) == pytest.approx(memory(model, MIX, WORK).device, rel=1e-9)
    one = decode(model, lying, PLACE, WORK, layout, usual_host())
    assert (one.host, one.crossing) == (0.0, 0.0)
    assert one.total == pytest.approx(decode_seconds(model, MIX, PLACE.device, 4096))
    alone = prefill_seconds(model, MIX, PLACE.device, 4096)
    assert prefill(model, lying, PLACE, WORK, layout).total == pytest.approx(alone)


def test_buffers_of_a_part_hold_the_head_for_prompts() -> None:
    """llama.cpp reports a buffer of 669.48 MiB for Llama 3 8B in Q4_K_M at a context of 512 with a part offloaded."""
    model = language_model("llama-3-8b")
    lying = weights(model, MIX)
    part, none = (per_device(model, lying, Workload(512), Layout(layers, False)) for layers in (1, 0))
    assert none / MIB == pytest.approx(669.48, abs=0.05)
    assert (part - none) / MIB == pytest.approx(lying.layers[-1] / MIB + 2.0, abs=0.1)


@given(NAMES, st.data())
def test_more_layers_on_the_device_are_faster_and_need_more_there(name: str, data: st.DataObject) -> None:
    model = language_model(name)
    lying = weights(model, MIX)
    few, many = sorted(data.draw(st.tuples(*[st.integers(0, model.layers)] * 2)))
    spent = [decode(model, lying, PLACE, WORK, Layout(layers, False), usual_host()).total for layers in (few, many)]
    assert spent[1] <= spent[0] * (1 + 1e-9) + 1e-4  # the first layer there costs two crossings
    needs = [per_device(model, lying, WORK, Layout(layers, False)) for layers in (few, many)]
    assert needs[0] <= needs[1]
    waits = [on_host(model, lying, WORK, Layout(layers, False)) for layers in (few, many)]
    assert waits[0] >= waits[1]


def test_prompts_wait_for_the_link_where_weights_are_copied_for_them() -> None:
    model = language_model("llama-3.1-8b")
    lying, layout = weights(model, MIXES["f16"]), Layout(16, False)
    slow, quick = (
        prefill(model, lying, catalog.place(f"rtx-3060-12gb@{link}"), WORK, layout) for link in ("tb3", "pcie4-x16")
    )
    assert slow.device == quick.device and slow.crossing > 5 * quick.crossing


def test_a_stated_host_narrows_the_band() -> None:
    model = language_model("llama-3.1-8b")
    lying, layout = weights(model, MIXES["f16"]), Layout(16, False)
    stated = replace(usual_host(), low=None, high=None)
    wide, narrow = (rates(model, lying, PLACE, WORK, layout, host) for host in (usual_host(), stated))
    assert wide.decode == narrow.decode and wide.decode_spread > narrow.decode_spread


def test_experts_on_the_host_leave_room_for_what_every_token_needs() -> None:
    model = language_model("qwen3-30b-a3b")
    lying = weights(model, MIX)
    layout = replace(everything(model), experts_on_host=True)
    assert per_device(model, lying, WORK, layout) < 0.2 * per_device(model, lying, WORK, everything(model))
    cut = sides(model, lying, layout)
    assert cut.host.device == pytest.approx(sum(lying.experts))
    assert cut.host.count.active == pytest.approx((lying.count.experts + lying.count.experts_down) / 16)


def test_devices_in_turn_are_no_faster_for_one_and_a_pipeline_for_a_prompt() -> None:
    model = language_model("llama-3-8b")
    lying, work = weights(model, MIX), Workload(4096)
    one, four = catalog.place("a40"), catalog.place("a40x4")
    alone = decode(model, lying, one, work, everything(model), usual_host()).total
    turn = decode(model, lying, four, work, everything(model, 4), usual_host()).total
    assert alone < turn < 1.05 * alone
    gain = prefill(model, lying, one, work, everything(model)).total / (
        prefill(model, lying, four, work, everything(model, 4)).total
    )
    assert 2.0 < gain < 4.0


def test_slices_of_every_matrix_are_faster_for_one_and_cost_sums() -> None:
    model = language_model("llama-3.3-70b")
    lying = weights(model, MIX)
    turn, shared = (
        decode(model, lying, catalog.place("rtx-3090x2"), WORK, everything(model, 2, way), usual_host())
        for way in ("layer", "tensor")
    )
    assert 0.5 * turn.total < shared.total < 0.75 * turn.total
    assert shared.crossing > turn.crossing


def test_latent_attention_is_kept_whole_on_each_device_that_shares_a_layer() -> None:
    """vllm-project/vllm#13061: memory of the ranks does not add up."""
    model = language_model("deepseek-v3")
    lying, work = weights(model, MIX), Workload(32768)
    eight = everything(model, 8, "tensor")
    kept = per_device(model, lying, work, eight) - per_device(model, lying, replace(work, context=512), eight)
    assert kept >= memory(model, MIX, work).cache - memory(model, MIX, replace(work, context=512)).cache
