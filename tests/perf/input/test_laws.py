"""What must hold of links and pipelines whatever the facts are."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outboard.perf.time import PlaceArrays, StepReplay, replay, step_estimate
from outboard.types.hardware import HostSide, Place
from outboard.types.job import Job
from tests.perf.time.conftest import fact, make_link, make_place, make_trace

law = settings(max_examples=60, deadline=None)
batches = st.integers(1, 1024)
rates = st.floats(1e6, 1e12)
factors = st.floats(1.0, 50.0)
kinds = st.sampled_from(["ready", "jpeg", "png", "raw", "tokens", "tabular", "video", "audio"])
copies = st.sampled_from(["serial", "overlapped"])
workers = st.one_of(st.none(), st.integers(0, 64))
jobs = st.fixed_dictionaries(
    {
        "input_kind": kinds,
        "input_copy": copies,
        "input_type": st.sampled_from(["model", "uint8"]),
        "workers": workers,
        "pinned": st.booleans(),
        "syncs": st.integers(0, 5),
        "decoder": st.sampled_from(["pillow", "pillow-simd", "torchvision", "gpu"]),
        "grad_accumulation": st.integers(1, 3),
    }
)


def job(**changes: Any) -> Job:
    return Job(**{"workload": "test:net", "precision": "amp-fp16", **changes})


def at(link_rate: float = 12e9, latency: float = 1e-5, cores: float = 8, disk: float = 2e9, **side: Any) -> Place:
    host = HostSide(cores=fact(cores), disk=fact(disk, "B/s"), **side)
    place = make_place(link=make_link(link_rate, latency))
    return Place(place.name, place.device, 1, place.link, host=host)


def run(what: Job, batch: int, *places: Place) -> StepReplay:
    return replay(what, make_trace(), np.array([float(batch)]), PlaceArrays.of(places))


@law
@given(jobs, batches, rates, factors)
def test_a_faster_link_is_never_slower(how: dict[str, Any], batch: int, rate: float, faster: float) -> None:
    step = run(job(**how), batch, at(rate), at(rate * faster))
    assert step.total[1, 0] <= step.total[0, 0] * (1 + 1e-12)


@law
@given(jobs, batches)
def test_an_infinite_link_costs_nothing(how: dict[str, Any], batch: int) -> None:
    if not how["pinned"]:
        how = {**how, "pinned": True}  # a staging buffer has a speed of its own
    step = run(job(**how), batch, at(1e30, 0.0))
    assert step.total == pytest.approx(step.without_link)


@law
@given(batches, copies)
def test_with_an_infinite_link_and_ready_batches_the_rate_is_the_resident_one(batch: int, copy: str) -> None:
    ideal = run(job(input_copy=copy), batch, at(1e30, 0.0))
    resident = run(job(input_copy="resident"), batch, at(1e6))
    assert ideal.total == pytest.approx(resident.total)


@law
@given(batches, rates)
def test_with_one_byte_a_sample_the_link_does_not_matter(batch: int, rate: float) -> None:
    trace = make_trace()
    tiny = type(trace.input_bytes)(np.zeros(2), np.array([1.0, 0.0]))
    light = type(trace)(**{**{f: getattr(trace, f) for f in trace.__dataclass_fields__}, "input_bytes": tiny})
    places = PlaceArrays.of([at(rate, 0.0), at(1e30, 0.0)])
    step = replay(job(), light, np.array([float(batch)]), places)
    assert step.total[0, 0] <= step.total[1, 0] + batch / rate * (1 + 1e-9)


@law
@given(jobs, batches, st.integers(1, 32), st.integers(1, 64))
def test_doubling_workers_never_hurts(how: dict[str, Any], batch: int, count: int, cores: int) -> None:
    few, more = (run(job(**{**how, "workers": each}), batch, at(cores=cores)) for each in (count, 2 * count))
    assert more.total[0, 0] <= few.total[0, 0] * (1 + 1e-12)


def test_workers_that_set_the_pace_help_by_as_much() -> None:
    few, more = (run(job(input_kind="jpeg", workers=each), 256, at(cores=32)) for each in (1, 2))
    assert more.total[0, 0] == pytest.approx(few.total[0, 0] / 2)


@law
@given(jobs, batches, st.integers(1, 64), factors)
def test_more_cores_and_a_faster_disk_never_hurt(how: dict[str, Any], batch: int, cores: int, better: float) -> None:
    step = run(job(**how), batch, at(cores=cores), at(cores=cores * better), at(cores=cores, disk=2e9 * better))
    assert (step.total[1:, 0] <= step.total[0, 0] * (1 + 1e-12)).all()


@law
@given(jobs, batches, st.integers(2, 4), st.floats(0, 4e9))
def test_sharing_the_cable_never_helps(how: dict[str, Any], batch: int, sharing: int, display: float) -> None:
    step = run(job(**how), batch, at(), at(sharing=sharing, display=display))
    assert step.total[1, 0] >= step.total[0, 0] * (1 - 1e-12)


@law
@given(jobs, batches, rates)
def test_parts_sum_to_the_step_and_every_estimate_can_be_told(how: dict[str, Any], batch: int, rate: float) -> None:
    told = step_estimate(job(**how), make_trace(), batch, at(rate))
    assert sum(part.value or 0.0 for part in told.parts) == pytest.approx(told.seconds.value)
    assert (told.link_slowdown.value or 0.0) >= 1 - 1e-12


@law
@given(batches, st.integers(0, 5))
def test_each_synchronisation_costs_two_latencies_and_an_operator(batch: int, count: int) -> None:
    with_them, without = (run(job(syncs=each), batch, at(latency=1e-4)) for each in (count, 0))
    each = with_them.pauses[0, 0] / count if count else 2e-4
    assert without.pauses[0, 0] == 0.0
    assert 2e-4 <= each <= 3e-4


def test_copies_that_are_not_pinned_are_slower_and_nothing_hides_them() -> None:
    pinned, pageable = (run(job(input_copy="overlapped", pinned=each), 64, at(3e9)) for each in (True, False))
    assert pageable.copy[0, 0] > pinned.copy[0, 0]
    assert pageable.link[0, 0] == pytest.approx(pageable.copy[0, 0])


def test_checkpoints_are_spread_over_the_steps() -> None:
    seldom, often = (run(job(checkpoint_every=each), 8, at()).pauses[0, 0] for each in (1000, 10))
    assert often == pytest.approx(100 * seldom)


def test_a_rate_that_was_measured_replaces_the_forecast_of_the_device() -> None:
    place = at()
    measured = Place(place.name, place.device, 1, place.link, host=place.host, resident_rate=1234.0)
    step = run(job(input_copy="resident"), 64, measured)
    assert 64 / step.total[0, 0] == pytest.approx(1234.0)
