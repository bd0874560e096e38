"""What ``import outboard as ob`` promises."""

import subprocess
import sys
from pathlib import Path

import pytest

import outboard as ob

PLACE = "rtx-3060-12gb@tb3"
JOB = ob.Job(workload="zoo:resnet50", task="train", precision="amp-fp16", batch_size=64)


def test_a_job_becomes_a_trace_and_a_trace_an_estimate() -> None:
    trace = ob.trace(JOB)
    forecast = ob.estimate(trace, "rtx-3090@tb3", batch_size=64)
    assert forecast.batch == 64
    assert forecast.memory.peak.value is not None
    seconds = forecast.step.seconds
    assert seconds.low is not None and seconds.value is not None and seconds.high is not None
    assert seconds.low < seconds.value < seconds.high
    assert forecast.step.bottleneck in {"compute", "memory", "launch", "link", "input", "collective"}


def test_a_job_a_trace_and_a_text_give_the_same() -> None:
    from_job = ob.estimate(JOB, PLACE)
    assert ob.estimate(ob.trace(JOB), PLACE, job=JOB) == from_job
    assert ob.estimate(ob.trace(JOB), PLACE, batch_size=64) == from_job
    assert ob.estimate("zoo:resnet50", PLACE, task="train", precision="amp-fp16", batch_size=64) == from_job


def test_options_change_a_job() -> None:
    assert ob.estimate(JOB, PLACE, batch_size=8).batch == 8


def test_a_trace_does_not_pretend_to_be_another() -> None:
    with pytest.raises(ob.OutboardError, match="trace the workload again"):
        ob.estimate(ob.trace(JOB), PLACE, precision="fp32")


def test_a_wrong_field_is_one_line() -> None:
    with pytest.raises(ob.OutboardError, match="batch_size") as caught:
        ob.estimate("zoo:resnet50", PLACE, batch_size=-1)
    assert "\n" not in str(caught.value)


def test_a_saved_trace_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "r50.trace"
    ob.save_trace(ob.trace(JOB), path)
    assert ob.estimate(ob.load_trace(path), PLACE, job=JOB) == ob.estimate(JOB, PLACE)


def test_compare_ranks() -> None:
    forecasts = ob.compare(JOB, [PLACE, "rtx-4090@pcie4-x16"])
    assert [forecast.place for forecast in forecasts] == ["rtx-4090@pcie4-x16", PLACE]


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'banana'"):
        _ = ob.banana  # type: ignore[attr-defined]


def test_importing_loads_nothing() -> None:
    code = "import sys, outboard; sys.exit(','.join(sorted({'numpy', 'pydantic', 'torch'} & set(sys.modules))) or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_trace_remembers_the_batch_that_its_job_asked_for(tmp_path: Path) -> None:
    job = ob.Job(workload="zoo:resnet50", precision="amp-fp16", batch_size=256, input_copy="overlapped")
    recorded = ob.trace(job)
    assert ob.estimate(recorded, "rtx-3090@tb3").batch == 256
    assert ob.estimate(recorded, "rtx-3090@tb3", batch_size=32).batch == 32
    ob.save_trace(recorded, tmp_path / "r50.trace")
    assert ob.estimate(ob.load_trace(tmp_path / "r50.trace"), "rtx-3090@tb3").batch == 256
