"""The curve of the rate against the link, the lanes of some steps, and the file they are drawn into."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outboard.api import find_place, prepare
from outboard.perf.time import PlaceArrays, replay
from outboard.planner.pictures import draw, sensitivity, timeline
from outboard.types.job import Job


def asked(**job: Any) -> tuple[Job, Any]:
    return prepare(
        Job(**{"workload": "zoo:resnet50", "task": "infer", "precision": "amp-fp16", "batch_size": 64, **job})
    )


def test_the_curve_never_falls_and_ends_at_the_resident_rate() -> None:
    job, trace = asked()
    where = find_place("rtx-4090@tb3")
    found = sensitivity.sensitivity(job, trace, where, 64)
    rates = [point.rate for point in found.curve]
    assert rates == sorted(rates)
    total = replay(job, trace, np.array([64.0]), PlaceArrays.of([where]))
    here = next(point for point in found.links if point.here)
    assert (here.label, here.rate) == ("tb3", pytest.approx(64 / float(total.total[0, 0])))
    assert found.best == pytest.approx(64 / float(total.without_link[0, 0]), rel=0.01)


def test_at_the_knee_the_link_costs_a_twentieth() -> None:
    job, trace = asked(input_copy="overlapped")
    found = sensitivity.sensitivity(job, trace, find_place("rtx-4090@tb3"), 64)
    assert found.knee is not None
    below = max((point for point in found.curve if point.bandwidth <= found.knee), key=lambda point: point.bandwidth)
    above = min((point for point in found.curve if point.bandwidth >= found.knee), key=lambda point: point.bandwidth)
    assert below.rate <= 0.95 * found.best * 1.0001 and above.rate >= 0.95 * found.best * 0.9999


def test_a_job_that_copies_nothing_has_no_knee() -> None:
    job, trace = asked(input_copy="resident")
    assert sensitivity.sensitivity(job, trace, find_place("rtx-4090@tb3"), 64).knee is None


@pytest.mark.parametrize("copy", ["serial", "overlapped"])
def test_the_lanes_keep_the_pace_of_the_forecast(copy: str) -> None:
    job, trace = asked(input_copy=copy, input_kind="jpeg", workers=3)
    where = find_place("rtx-4090@tb3")
    spans = timeline.stride(timeline.lanes(job, trace, where, 64))
    starts = [span.start for span in spans if span.lane == "gpu"]
    assert len(starts) == timeline.SHOWN
    period = (starts[-1] - starts[0]) / (len(starts) - 1)
    assert period == pytest.approx(
        float(replay(job, trace, np.array([64.0]), PlaceArrays.of([where])).total[0, 0]), rel=0.05
    )
    assert {span.lane for span in spans} == {"disk", "cpu", "link", "gpu"}


def test_both_are_drawn_into_one_file(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    job, trace = asked()
    where = find_place("rtx-4090@tb3")
    draw(job, trace, where, 64, tmp_path / "link.svg")
    text = (tmp_path / "link.svg").read_text(encoding="utf-8")
    assert text.startswith("<svg")
    for word in ("oculink-pcie4-x4", "knee", "milliseconds", "device"):
        assert word in text
    draw(job, trace, where, 64, tmp_path / "link.png")
    assert (tmp_path / "link.png").read_bytes().startswith(b"\x89PNG")


def test_another_ending_is_refused() -> None:
    from outboard.cli import estimate_chart
    from outboard.errors import UsageError

    with pytest.raises(UsageError, match=r"--chart writes .svg or .png"):
        estimate_chart.run("zoo:resnet50", "rtx-4090@tb3", {}, "link.pdf")
