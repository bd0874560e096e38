"""What would make a job fit."""

import pytest

from outboard import catalog, tracing
from outboard.errors import MissingExtraError
from outboard.perf.estimate import estimate
from outboard.planner import larger_devices, remedies, with_levers
from outboard.types.job import Job
from outboard.types.trace import Trace

JOB = Job(workload="zoo:resnet50", task="train", precision="amp-fp16", optimizer="adamw", batch_size=512)
PLACE = "rtx-3060-12gb@tb3"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return tracing.trace(JOB)


def test_a_smaller_batch_with_accumulation_keeps_the_samples_per_step(trace: Trace) -> None:
    found = {remedy.name: remedy for remedy in remedies(JOB, trace, catalog.place(PLACE), 512)}["batch"]
    assert found.fits
    assert found.job.batch_size * found.job.grad_accumulation >= 512
    assert found.saved > 0


def test_what_is_said_to_fit_does(trace: Trace) -> None:
    place = catalog.place(PLACE)
    for remedy in remedies(JOB, trace, place, 512):
        if remedy.fits and remedy.name == "batch":
            assert estimate(remedy.job, trace, place).verdict == "fits"


def test_what_is_enough_alone_comes_first(trace: Trace) -> None:
    fits = [remedy.fits for remedy in remedies(JOB, trace, catalog.place(PLACE), 512)]
    assert fits == sorted(fits, reverse=True)


def test_a_change_that_cannot_be_traced_is_left_out(trace: Trace) -> None:
    def refuse(job: Job) -> Trace:
        raise MissingExtraError("torch", "models", "tracing")

    names = {remedy.name for remedy in remedies(JOB, trace, catalog.place(PLACE), 512, retrace=refuse)}
    assert "grad_checkpointing" not in names


def test_larger_devices_are_those_that_fit_smallest_first(trace: Trace) -> None:
    places = [catalog.place(name) for name in ("rtx-3060-12gb", "h100-sxm", "a100-sxm4-80gb", "rtx-4090")]
    found = larger_devices(JOB, trace, places, 512)
    assert found
    sizes = [place.device.memory.value for place in found]
    assert sizes == sorted(sizes)
    assert "rtx-3060-12gb" not in {place.device.id for place in found}


def test_a_job_that_fits_gets_no_advice(trace: Trace) -> None:
    job = JOB.model_copy(update={"batch_size": 8})
    place = catalog.place(PLACE)
    assert with_levers(estimate(job, trace, place), job, trace, place).levers == ()


def test_a_job_that_does_not_fit_is_told_what_would(trace: Trace) -> None:
    place = catalog.place(PLACE)
    found = with_levers(estimate(JOB, trace, place), JOB, trace, place, others=lambda: [catalog.place("h100-sxm")])
    assert any("accumulation steps" in line for line in found.levers)
    assert any("h100-sxm5-80gb" in line for line in found.levers)


def test_no_precision_is_proposed_that_the_device_would_emulate(trace: Trace) -> None:
    job = JOB.model_copy(update={"precision": "fp32", "workload": "zoo:resnet50"})
    found = remedies(job, tracing.trace(job), catalog.place("tesla-t4"), 512, retrace=tracing.trace)
    proposed = {remedy.job.precision for remedy in found if remedy.name == "precision"}
    assert proposed == {"amp-fp16"}
