"""Memory and step put together, on a trace that ships."""

from dataclasses import replace

import numpy as np
import pytest

from outboard import catalog, tracing
from outboard.perf.auto_batch import NEARLY, candidates, choose
from outboard.perf.estimate import estimate
from outboard.perf.memory import safe_max_batch
from outboard.perf.sweep import sweep
from outboard.perf.time import PlaceArrays, replay
from outboard.types.evidence import Evidence, Fact
from outboard.types.job import Job
from outboard.types.trace import Trace

JOB = Job(workload="zoo:resnet50", task="train", precision="amp-fp16", optimizer="momentum")


@pytest.fixture(scope="module")
def trace() -> Trace:
    return tracing.trace(JOB)


def test_parts_of_memory_and_step_sum_to_the_whole(trace: Trace) -> None:
    found = estimate(JOB.model_copy(update={"batch_size": 64}), trace, catalog.place("rtx-3090@tb3"))
    assert sum(part.value or 0 for part in found.memory.parts) == pytest.approx(found.memory.peak.value, rel=1e-6)
    assert sum(part.value or 0 for part in found.step.parts) == pytest.approx(found.step.seconds.value, rel=1e-9)
    assert found.batch == 64
    assert found.verdict == "fits"


def test_a_batch_that_is_safe_fits_and_the_next_one_does_not(trace: Trace) -> None:
    place = catalog.place("rtx-3060-12gb@tb3")
    safe = int(safe_max_batch(JOB, trace, [place])[0])
    assert estimate(JOB.model_copy(update={"batch_size": safe}), trace, place).verdict == "fits"
    assert estimate(JOB.model_copy(update={"batch_size": safe + 1}), trace, place).verdict != "fits"


def test_a_batch_nobody_chose_is_nearly_as_fast_as_any_that_is_safe(trace: Trace) -> None:
    place = catalog.place("rtx-3090@tb3")
    safe = safe_max_batch(JOB, trace, [place])
    chosen = int(choose(JOB, trace, [place], safe)[0])
    tried = candidates()[candidates() <= safe[0]]
    rates = tried / replay(JOB, trace, tried.astype(float), PlaceArrays.of([place])).total[0]
    assert rates[tried == chosen][0] >= NEARLY * rates.max()


def test_a_batch_somebody_chose_is_kept_even_if_it_cannot_fit(trace: Trace) -> None:
    found = estimate(JOB.model_copy(update={"batch_size": 4096}), trace, catalog.place("rtx-3060-12gb@tb3"))
    assert (found.batch, found.verdict) == (4096, "does_not_fit")


def test_many_places_at_once_say_what_each_says_alone(trace: Trace) -> None:
    places = [catalog.place(name) for name in ("rtx-3090@tb3", "a100-pcie-40gb", "tesla-t4")]
    together = sweep(JOB, trace, places)
    for place, found in zip(places, together, strict=True):
        alone = estimate(JOB, trace, place)
        assert (found.batch, found.safe_max_batch, found.verdict) == (alone.batch, alone.safe_max_batch, alone.verdict)
        assert found.step.seconds.value == pytest.approx(alone.step.seconds.value, rel=1e-9)


def test_a_slow_link_costs_what_the_cable_costs(trace: Trace) -> None:
    job = JOB.model_copy(update={"batch_size": 64, "input_copy": "serial"})
    place = catalog.place("rtx-3090@tb3")
    slow, resident = (
        estimate(job.model_copy(update={"input_copy": copy}), trace, place) for copy in ("serial", "resident")
    )
    assert slow.step.link_slowdown.value > 1.0
    assert resident.step.link_slowdown.value == 1.0
    endless = replace(place, link=replace(place.link, h2d=_fact(1e30, "B/s"), latency=_fact(0.0, "s")))
    assert estimate(job, trace, endless).step.seconds.value == pytest.approx(resident.step.seconds.value)


def test_unknown_speed_is_unknown_and_says_why(trace: Trace) -> None:
    place = catalog.place("rtx-3090")
    dark = replace(place, device=replace(place.device, matmul={}, vector={}))
    found = estimate(JOB.model_copy(update={"batch_size": 8}), trace, dark)
    assert found.verdict == "unknown"
    assert found.step.seconds.value is None
    assert found.step.seconds.note
    assert np.isfinite(found.memory.peak.value or np.nan)


def _fact(value: float, unit: str) -> Fact:
    return Fact(value, unit, "this test", Evidence.ASSUMED)
