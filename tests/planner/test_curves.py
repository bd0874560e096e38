"""How memory grows with a job, and the largest relative of its model."""

from itertools import pairwise

import pytest

from outboard import catalog, tracing
from outboard.cli.relatives import relatives as alike
from outboard.errors import OutboardError, UsageError
from outboard.perf.memory import safe_max_batch
from outboard.planner.curves import by_batch, by_length, relatives
from outboard.types.job import Job
from outboard.types.trace import Trace

GPT = Job(workload="zoo:gpt2", task="finetune", precision="amp-fp16")
PLACE = catalog.place("rtx-3060-12gb@tb3")


def shipped(job: Job) -> Trace:
    """Only what the zoo has as it is: lengths of 512 and 1024."""
    if job.seq_len not in (None, 512, 1024):
        raise OutboardError("not in the zoo")
    return tracing.trace(job.model_copy(update={"task": "train"}))


def test_a_curve_goes_a_little_beyond_what_fits() -> None:
    job = Job(workload="zoo:resnet50")
    points = by_batch(job, tracing.trace(job), PLACE)
    safe = int(safe_max_batch(job, tracing.trace(job), [PLACE])[0])
    assert [point.fits for point in points] == [point.size <= safe for point in points]
    assert all(one.required <= other.required for one, other in pairwise(points))
    assert not points[-1].fits and points[0].low <= points[0].required <= points[0].high


def test_lengths_that_cannot_be_recorded_end_the_curve() -> None:
    assert by_length(GPT, PLACE, 1, shipped) == []


def test_the_largest_relative_is_the_last_that_fits() -> None:
    job = GPT.model_copy(update={"task": "train"})
    found = relatives(job, PLACE, 4, alike("zoo:gpt2"), shipped)
    assert [one.workload for one in found] == ["zoo:gpt2", "zoo:gpt2-medium", "zoo:gpt2-large", "zoo:gpt2-xl"]
    assert all(one.required < other.required for one, other in pairwise(found))
    assert [one.fits for one in found] == sorted((one.fits for one in found), reverse=True)


@pytest.mark.parametrize("workload", ["python:mine.py:build", "hours:3 h on rtx-3090"])
def test_what_has_no_family_is_refused(workload: str) -> None:
    with pytest.raises(UsageError, match="no family"):
        alike(workload)


@pytest.mark.parametrize(
    "workload", ["zoo:gpt2-large", "zoo:llama-3.2-1b", "zoo:bert-base", "hf:openai-community/gpt2-xl"]
)
def test_a_model_is_among_its_relatives(workload: str) -> None:
    found = alike(workload)
    assert any(one.rpartition(":")[2] == workload.rpartition("/")[2].rpartition(":")[2] for one in found)
    assert len(found) > 1
