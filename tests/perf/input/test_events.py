"""Batch by batch the pipeline runs as the closed form says."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outboard.perf.input.events import Lanes, period, simulate
from outboard.perf.time import PlaceArrays, replay
from outboard.types.hardware import HostSide, Place
from outboard.types.job import Job
from tests.perf.time.conftest import fact, make_link, make_place, make_trace

seconds = st.floats(1e-4, 1.0)
law = settings(max_examples=60, deadline=None)


@law
@given(seconds, seconds, seconds, seconds, st.integers(1, 8), st.integers(2, 4))
def test_in_its_stride_the_slowest_stage_sets_the_pace(
    disk: float, cpu: float, link: float, gpu: float, workers: int, prefetch: int
) -> None:
    found = period(Lanes(disk, cpu, link, gpu, workers, prefetch, overlapped=True))
    slowest = max(disk, cpu / workers, link, gpu)
    # A worker also waits for the disk; the closed form leaves that out.
    assert slowest * (1 - 1e-9) <= found <= max(disk, (disk * workers + cpu) / workers, link, gpu) * 1.01


@law
@given(seconds, seconds, st.integers(1, 8))
def test_a_copy_before_each_step_adds_to_it(link: float, gpu: float, workers: int) -> None:
    assert period(Lanes(0.0, 0.0, link, gpu, workers, 2, overlapped=False)) == pytest.approx(link + gpu)
    assert period(Lanes(0.0, 0.0, link, gpu, workers, 2, overlapped=True)) == pytest.approx(max(link, gpu))


@law
@given(seconds, seconds, seconds, seconds)
def test_without_workers_everything_is_in_turn(disk: float, cpu: float, link: float, gpu: float) -> None:
    assert period(Lanes(disk, cpu, link, gpu, 0, 2, overlapped=True)) == pytest.approx(disk + cpu + link + gpu)


@law
@given(st.sampled_from(["serial", "overlapped"]), st.integers(1, 256), st.integers(0, 12), st.floats(3e8, 3e10))
def test_the_forecast_is_that_of_the_simulation(copy: str, batch: int, workers: int, rate: float) -> None:
    job = Job(workload="test:net", precision="amp-fp16", input_copy=copy, input_kind="jpeg", workers=workers)  # type: ignore[arg-type]
    host = HostSide(cores=fact(32), disk=fact(1e12, "B/s"))
    base = make_place(link=make_link(rate))
    step = replay(
        job, make_trace(), np.array([float(batch)]), PlaceArrays.of([Place("p", base.device, 1, base.link, host=host)])
    )
    feed = float(step.feed[0, 0])
    cpu = feed * workers if workers else feed
    lanes = Lanes(0.0, cpu, float(step.copy[0, 0]), float(step.resident[0, 0]), workers, 2, copy == "overlapped")
    assert period(lanes) == pytest.approx(float(step.total[0, 0]), rel=0.02)


def test_no_lane_does_two_things_at_once() -> None:
    spans = simulate(Lanes(0.1, 0.5, 0.2, 0.3, 3, 2, overlapped=True), 50)
    for lane, row in {(span.lane, span.row) for span in spans}:
        mine = sorted((span for span in spans if (span.lane, span.row) == (lane, row)), key=lambda span: span.start)
        assert all(one.end <= other.start + 1e-12 for one, other in pairwise(mine))
