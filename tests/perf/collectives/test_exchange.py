"""What a step waits for when devices share its work."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import outboard as ob
from outboard.errors import JobError
from outboard.perf.collectives.fabric import fabric, way_of
from outboard.perf.collectives.volume import activation_bytes, gradient_bytes, layers, weight_bytes, width
from outboard.perf.time import PlaceArrays, StepReplay, replay
from outboard.types.hardware import Link, Place
from outboard.types.job import Job
from tests.perf.time.conftest import make_device, make_link, make_place, make_trace

law = settings(max_examples=40, deadline=None)
ways = st.sampled_from(["ddp", "dp", "zero1", "zero2", "fsdp", "tensor", "pipeline"])
batches = st.integers(1, 512)


def joined(kind: str = "nvlink", rate: float = 1e11, id: str = "test-switch") -> Link:
    return replace(make_link(rate, 2e-6), id=id, kind=kind)


def place(count: int, kind: str = "geforce", link: Link | None = None, interconnect: Link | None = None) -> Place:
    return replace(make_place(make_device(kind=kind), link, count), interconnect=interconnect)


def run(what: dict[str, Any], batch: int, *places: Place) -> StepReplay:
    job = Job(**{"workload": "test:net", "precision": "amp-fp16", "input_copy": "resident", **what})
    return replay(job, make_trace(job.task), np.array([float(batch)]), PlaceArrays.of(places))


def test_devices_reach_each_other_as_their_drivers_allow() -> None:
    assert way_of(place(1)) == "alone"
    assert way_of(place(2)) == "staged"
    assert way_of(place(2, "pro")) == "peers"
    assert way_of(place(2, "pro", replace(make_link(), kind="thunderbolt", tunnelled=True))) == "staged"
    assert way_of(place(2, interconnect=joined())) == "switch"
    assert way_of(place(2, interconnect=joined("network"))) == "network"


def test_a_bridge_joins_two_and_no_more() -> None:
    bridge = joined(id="nvlink-bridge-3090")
    assert way_of(place(2, interconnect=bridge)) == "switch"
    assert way_of(place(4, interconnect=bridge)) == "staged"


def test_the_way_through_the_host_is_shared_by_all() -> None:
    rates = [fabric(place(n)).bandwidth for n in (2, 4, 8, 16)]
    assert rates == sorted(rates, reverse=True)
    assert fabric(place(2, "pro")).bandwidth > rates[0]


@law
@given(ways, batches, st.integers(2, 16), st.floats(1e8, 1e11), st.floats(1.0, 30.0))
def test_a_faster_exchange_is_never_slower(way: str, batch: int, count: int, rate: float, more: float) -> None:
    slow, fast = (place(count, interconnect=joined(rate=each)) for each in (rate, rate * more))
    step = run({"parallel": way}, batch, slow, fast)
    assert step.total[1, 0] <= step.total[0, 0] * (1 + 1e-12)


@law
@given(ways, batches)
def test_one_device_is_the_same_whatever_the_way(way: str, batch: int) -> None:
    assert run({"parallel": way}, batch, place(1)).total == pytest.approx(run({}, batch, place(1)).total)


@law
@given(batches, st.integers(2, 16))
def test_devices_with_the_whole_model_are_never_more_than_proportional(batch: int, count: int) -> None:
    step = run({}, batch, place(1), place(count, interconnect=joined()))
    assert step.total[1, 0] >= step.total[0, 0]


@law
@given(batches, st.integers(2, 8))
def test_shards_of_everything_send_more_than_copies(batch: int, count: int) -> None:
    where = place(count, interconnect=joined(rate=1e9))
    assert run({"parallel": "fsdp"}, batch, where).collective >= run({"parallel": "ddp"}, batch, where).collective


def test_more_micro_steps_fill_a_pipeline() -> None:
    where = place(4, interconnect=joined())
    few, many = (run({"parallel": "pipeline", "grad_accumulation": m}, 8, where).total[0, 0] / m for m in (1, 16))
    assert many < 0.6 * few


def test_ways_that_split_a_model_need_its_layers() -> None:
    trace = make_trace()
    without = replace(trace, operators=replace(trace.operators, kind=np.zeros_like(trace.operators.kind)))
    job = Job(workload="test:net", parallel="tensor")
    with pytest.raises(JobError, match="use ddp"):
        replay(job, without, np.array([1.0]), PlaceArrays.of([place(2)]))


def test_inference_on_copies_exchanges_nothing() -> None:
    assert run({"task": "infer"}, 8, place(4)).collective[0, 0] == 0.0


def test_volumes_follow_from_the_trace() -> None:
    trace = make_trace()
    assert gradient_bytes(trace) == weight_bytes(trace) == 1000 * 25000 * 4
    assert layers(trace) == 4
    assert width(trace) == 25000
    tokens = trace.with_info(tokens_per_sample=10)
    assert activation_bytes(tokens, np.array([2.0]), 2.0)[0] == 2 * 10 * 25000 * 2


@pytest.mark.parametrize(
    ("job", "two", "most"),
    [
        # RTX 3070, BERT-large, fp32, batch 1: 1.04 times as fast; RTX 2080 Ti, batch 2: 1.03 (lambdal/
        # deeplearning-benchmark@aa5addb6a536, pytorch/results/2x3070 and 2x2080Ti_trt2).
        ({"workload": "zoo:bert-large", "task": "finetune", "batch_size": 1}, "rtx-3070", 1.3),
        ({"workload": "zoo:bert-large", "task": "finetune", "batch_size": 2}, "rtx-2080-ti", 1.35),
    ],
)
def test_a_second_card_that_brings_little_is_told_so(job: dict[str, Any], two: str, most: float) -> None:
    one, both = (ob.estimate(ob.Job(**job), f"{two}{count}") for count in ("", "x2"))
    assert one.step.throughput.value and both.step.throughput.value
    assert both.step.throughput.value / one.step.throughput.value < most
    assert both.step.bottleneck == "collective"


def test_a_switch_scales_where_the_host_does_not() -> None:
    job = {"workload": "zoo:bert-large", "task": "finetune", "precision": "amp-bf16", "batch_size": 16}
    rates = {
        name: ob.estimate(ob.Job(**job), name).step.throughput.value or 0.0
        for name in ("a100-sxm4-80gb", "a100-sxm4-80gbx8")
    }
    assert 6.4 < rates["a100-sxm4-80gbx8"] / rates["a100-sxm4-80gb"] <= 8.0


def test_machines_are_joined_by_a_network() -> None:
    found = ob.api.find_place("rtx-4090x4@ethernet-10g")
    assert found.link.id == "pcie4-x16"
    assert found.interconnect is not None and found.interconnect.kind == "network"
    assert ob.api.find_place(found.name) == found
