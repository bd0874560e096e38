"""What must hold whatever the coefficients are."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outboard.perf.time import PlaceArrays, StepReplay, replay, step_estimate
from outboard.perf.time.step import PARTS
from outboard.types.hardware import Device, Link, Place
from outboard.types.job import Job
from outboard.types.trace import Trace

law = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
Make = Callable[..., Any]
batches = st.integers(1, 2048)
rates = st.floats(1e8, 1e12)
factors = st.floats(1.0, 20.0)
tasks = st.sampled_from(["train", "infer"])


def job(**changes: Any) -> Job:
    return Job(**{"workload": "test:net", "precision": "amp-fp16", **changes})


def run(what: Job, trace: Trace, batch: int | list[int], *places: Place) -> StepReplay:
    return replay(what, trace, np.atleast_1d(np.array(batch, dtype=np.float64)), PlaceArrays.of(places))


@law
@given(batches, batches, tasks, st.booleans(), st.booleans())
def test_more_batch_is_never_less_time(
    trace: Make, place: Make, one: int, two: int, task: str, compiled: bool, nhwc: bool
) -> None:
    what = job(task=task, compiled=compiled, memory_format="nhwc" if nhwc else "nchw")
    total = run(what, trace(task), [min(one, two), max(one, two)], place()).total[0]
    assert total[0] <= total[1] * (1 + 1e-9)


@law
@given(batches, rates, factors, st.sampled_from(["serial", "overlapped", "resident"]))
def test_a_faster_link_is_never_slower(
    trace: Make, place: Make, link: Make, batch: int, rate: float, faster: float, copy: str
) -> None:
    step = run(job(input_copy=copy), trace(), batch, place(link=link(rate)), place(link=link(rate * faster)))
    assert step.total[1, 0] <= step.total[0, 0] * (1 + 1e-12)


@law
@given(batches, st.sampled_from(["serial", "overlapped"]), st.integers(1, 4))
def test_an_infinite_link_is_as_resident(
    trace: Make, place: Make, link: Make, batch: int, copy: str, micro: int
) -> None:
    ideal = place(link=link(1e30, 0.0))
    slow = run(job(input_copy="resident", grad_accumulation=micro), trace(), batch, place())
    fast = run(job(input_copy=copy, grad_accumulation=micro), trace(), batch, ideal)
    assert fast.total == pytest.approx(slow.total)
    assert (fast.total >= fast.resident).all()


@law
@given(batches, factors, tasks)
def test_a_better_device_is_never_slower(
    trace: Make, device: Make, place: Make, batch: int, better: float, task: str
) -> None:
    base: Device = device()
    bandwidth = replace(base.memory_bandwidth, value=base.memory_bandwidth.value * better)
    matmul = {key: replace(rate, value=rate.value * better) for key, rate in base.matmul.items()}
    vector = {key: replace(rate, value=rate.value * better) for key, rate in base.vector.items()}
    l2 = replace(base.l2, value=base.l2.value * better) if base.l2 else None
    better_devices = [
        replace(base, memory_bandwidth=bandwidth),
        replace(base, matmul=matmul, vector=vector),
        replace(base, l2=l2),
    ]
    step = run(job(task=task), trace(task), batch, *[place(each) for each in (base, *better_devices)])
    assert (step.total[1:, 0] <= step.total[0, 0] * (1 + 1e-12)).all()


@law
@given(batches, st.integers(2, 16), rates)
def test_several_devices_never_beat_the_free_exchange(
    trace: Make, place: Make, link: Make, batch: int, count: int, rate: float
) -> None:
    step = run(job(), trace(), batch, place(link=link(rate)), place(link=link(rate), count=count))
    single, many = step.total[:, 0]
    assert many / count >= single / count * (1 - 1e-12)
    assert step.collective[0, 0] == 0.0
    assert step.collective[1, 0] > 0.0


@law
@given(batches, st.integers(1, 8), st.sampled_from(["serial", "overlapped", "resident"]), st.booleans(), tasks)
def test_parts_sum_to_the_total(
    trace: Make, place: Make, batch: int, count: int, copy: str, compiled: bool, task: str
) -> None:
    what = job(task=task, input_copy=copy, compiled=compiled)
    step = step_estimate(what, trace(task), batch, place(count=count))
    parts = [part.value for part in step.parts]
    assert [part.name for part in step.parts] == [name for name in PARTS if name not in ("input", "pauses")]
    assert all(part is not None and part >= 0 for part in parts)
    assert sum(part for part in parts if part is not None) == pytest.approx(step.seconds.value)
    assert step.link_slowdown.value is not None
    assert step.link_slowdown.value >= 1.0


@law
@given(batches, st.integers(2, 8))
def test_accumulation_shares_the_optimizer(trace: Make, place: Make, batch: int, micro: int) -> None:
    once = run(job(), trace(), batch, place())
    several = run(job(grad_accumulation=micro), trace(), batch, place())
    assert several.optimizer == pytest.approx(once.optimizer)
    assert several.compute == pytest.approx(micro * once.compute)
    assert several.total[0, 0] <= micro * once.total[0, 0] * (1 + 1e-9)


def test_uint8_quarters_the_copy_of_images_but_not_of_labels(trace: Make, place: Make, link: Make) -> None:
    wide = run(job(), trace(), 64, place(link=link(1e9, 0.0))).link[0, 0]
    narrow = run(job(input_type="uint8"), trace(), 64, place(link=link(1e9, 0.0))).link[0, 0]
    assert wide == pytest.approx(64 * (602112 + 8) / 1e9)
    assert narrow == pytest.approx(64 * (150528 + 8) / 1e9)


def test_bottleneck_is_named(trace: Make, place: Make, link: Make) -> None:
    slow: Link = link(2e8)
    assert step_estimate(job(), trace(), 64, place(link=slow)).bottleneck == "link"
    assert step_estimate(job(input_copy="overlapped"), trace(), 64, place(link=slow)).bottleneck == "link"
    assert step_estimate(job(), trace(), 1, place()).bottleneck == "launch"
    many = place(link=slow, count=4)
    assert step_estimate(job(input_copy="resident"), trace(), 4, many).bottleneck == "collective"


def test_throughput_counts_every_sample(trace: Make, place: Make) -> None:
    step = step_estimate(job(grad_accumulation=3), trace(), 10, place(count=2))
    assert step.throughput.unit == "images/s"
    assert step.throughput.value is not None
    assert step.seconds.value is not None
    assert step.throughput.value * step.seconds.value == pytest.approx(60)


def test_a_missing_rate_is_unknown_and_not_zero(trace: Make, device: Make, place: Make) -> None:
    blind = device(matmul={}, vector={})
    step = step_estimate(job(), trace(), 8, place(blind))
    assert step.seconds.value is None
    assert step.seconds.note
    assert step.bottleneck == "unknown"
