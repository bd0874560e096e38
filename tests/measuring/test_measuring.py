"""What is measured enters the forecast, and a job that ran is kept, found again and said. No timed assertions."""

from dataclasses import replace

import numpy as np
import pytest

from outboard import api, measuring
from outboard.errors import JobError
from outboard.measuring import profile, recall
from outboard.measuring.here import device
from outboard.measuring.machine import Machine, this
from outboard.measuring.step import Ran, run
from outboard.perf.estimate import estimate
from outboard.perf.time import cpu
from outboard.probe.measure import Step
from outboard.probe.measure.fit import Shape, rates
from outboard.probe.measure.timing import Timed
from outboard.store import Store
from outboard.types.evidence import Evidence
from outboard.types.measured import Figure

MACHINE = Machine("Some CPU", 4, 16e9, 3e9, wide=False)
JOB = {"batch_size": 4, "input_copy": "resident", "gradients_released": "before-forward", "optimizer": "sgd"}


def figure(name: str, value: float, unit: str = "FLOP/s") -> Figure:
    return Figure(name, value, 0.9 * value, 1.1 * value, unit, 5, date="2026-12-01")


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("OUTBOARD_DATA_DIR", str(tmp_path / "data"))
    return Store()


def seconds(figures: list[Figure]) -> float:
    job, trace = api.prepare("zoo:resnet18", **JOB)
    where = device(MACHINE, {one.name: one for one in figures})
    return float(cpu.replay(job, trace, np.array([4.0]), where).total[0, 0])


def test_measured_rates_enter_the_forecast_by_their_class():
    slow, fast = ([figure(f"conv{end}.flops", rate) for end in ("", "_dgrad", "_wgrad")] for rate in (1e10, 1e11))
    assert seconds(slow) > 5 * seconds(fast)
    assert seconds([*fast, figure("launch.forward", 1.0, "s")]) > 50  # one second for each operator


def test_an_unmeasured_processor_is_forecast_from_assumptions_and_says_so(store):
    where = measuring.place_here(store)
    result = estimate(*api.prepare("zoo:resnet18", **JOB), where)
    assert where.device.memory_bandwidth.evidence is Evidence.ASSUMED
    assert result.evidence is Evidence.ASSUMED and result.step.seconds.value > 0
    assert {part.name: part.value for part in result.step.parts}["link"] == 0


def test_a_measured_processor_says_that_it_was_measured_here(store):
    for name in ("matmul.fp32", "conv.flops"):
        store.save_figure(this().key, "this", figure(name, 1e11))
    step = estimate(*api.prepare("zoo:resnet18", **JOB), measuring.place_here(store)).step
    assert step.seconds.evidence is Evidence.MEASURED_HERE
    compute = next(part for part in step.parts if part.name == "compute")
    assert [child.name for child in compute.children] == ["conv.flops"]


def test_parts_sum_to_the_step_and_grow_with_the_batch():
    job, trace = api.prepare("zoo:resnet18", **JOB)
    step = cpu.replay(job, trace, np.array([1.0, 2.0, 8.0]), device(MACHINE, {}))
    assert step.total.shape == (1, 3)
    assert np.all(np.diff(step.total[0]) > 0)


def test_a_precision_whose_rate_is_unknown_is_unknown_and_not_fast():
    job, trace = api.prepare("zoo:resnet18", precision="amp-bf16", **JOB)
    assert np.isnan(cpu.replay(job, trace, np.array([4.0]), device(MACHINE, {})).total).all()


def test_two_rates_are_found_again():
    work = [(1e9, 1e6), (1e8, 1e8), (1e7, 1e9)]
    shapes = [Shape(f, s, Timed(*[1e-5 + f / 5e10 + s / 8e9] * 3, 5)) for f, s in work]
    found = {one.name: one.value for one in rates("conv", shapes, 1e-5)}
    assert found["conv.flops"] == pytest.approx(5e10, rel=1e-3)
    assert found["conv.bytes"] == pytest.approx(8e9, rel=1e-3)


def test_each_figure_is_saved_before_the_next_step_and_the_impossible_is_told(store):
    told: list[str] = []

    def later() -> list[Figure]:
        assert set(store.figures(this().key)) == {"matmul.fp32"}
        raise KeyboardInterrupt

    steps = [Step("a", "cpu", lambda: [figure("matmul.fp32", 1e9), figure("matmul.fp32.64", 1e18)])]
    with pytest.raises(KeyboardInterrupt):
        profile.measure([*steps, Step("b", "cpu", later)], store, lambda *_: None, told.append)
    assert len(told) == 1 and "matmul.fp32.64" in told[0]
    assert store.figures(this().key)["matmul.fp32"].versions["python"]


def test_a_job_that_ran_here_is_found_by_its_next_forecast(store):
    job, trace = api.prepare("zoo:resnet18", **JOB)
    before = estimate(job, trace, measuring.place_here(store))
    kept = recall.keep(job, 4, "cpu", Ran(9.0, 8.0, 10.0, 5, None), before.step.seconds.value, store)
    assert kept.error == pytest.approx(before.step.seconds.value / 9.0 - 1)
    after = api.estimate("zoo:resnet18", "here", **JOB)
    assert (after.step.seconds.value, after.step.seconds.low, after.step.seconds.high) == (9.0, 8.0, 10.0)
    assert after.step.seconds.evidence is Evidence.MEASURED_HERE
    assert sum(part.value for part in after.step.parts) == pytest.approx(9.0)
    assert any("measured here" in said for said in after.warnings)
    other = api.estimate("zoo:resnet18", "here", **{**JOB, "batch_size": 5})
    assert other.step.seconds.evidence is not Evidence.MEASURED_HERE


def test_a_real_step_runs_and_its_error_is_stored(store):
    pytest.importorskip("torchvision")
    asked = {**JOB, "image_size": 64, "batch_size": 2}
    job, trace = api.prepare("torchvision:squeezenet1_1", **asked)
    result = estimate(job, trace, measuring.place_here(store))
    ran = run(job, patience=0.0)
    assert ran.steps == 5 and 0 < ran.low <= ran.seconds <= ran.high
    recall.keep(job, 2, "cpu", ran, result.step.seconds.value, store)
    assert store.measurements()[0].error is not None


def test_a_step_without_a_batch_is_refused():
    with pytest.raises(JobError, match="--batch"):
        run(api.make_job(workload="torchvision:squeezenet1_1"))


def test_the_key_of_a_machine_changes_with_its_cores():
    assert MACHINE.key == replace(MACHINE).key != replace(MACHINE, cores=2).key
