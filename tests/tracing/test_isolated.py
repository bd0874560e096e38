"""A person's own code is traced in another process, and its failures become one line."""

from pathlib import Path

import pytest

from outboard import tracing
from outboard.errors import UsageError
from outboard.tracing.live import BATCHES
from outboard.types.job import Job

pytest.importorskip("torch")

STEP = """
import torch

def build(batch_size):
    model = torch.nn.Linear(8, 4)
    images, classes = torch.zeros(batch_size, 8), torch.zeros(batch_size, dtype=torch.int64)
    return model, (images, classes), torch.optim.SGD(model.parameters(), 0.1)

def dies(batch_size):
    import os
    os._exit(7)

def fails(batch_size):
    raise RuntimeError("no such data")
"""


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setenv("OUTBOARD_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "step.py").write_text(STEP)
    return Job(workload=f"python:{tmp_path / 'step.py'}:build")


def test_the_step_is_traced_with_its_own_optimizer(job: Job) -> None:
    trace = tracing.trace(job)
    assert trace.info.traced_batches == BATCHES
    assert trace.parameter_count() == 8 * 4 + 4
    assert trace.info.optimizer == "sgd"
    assert len(list((Path(job.workload.split(":")[1]).parent / "cache" / "traces").iterdir())) == 1


@pytest.mark.parametrize(("function", "message"), [("dies", "ended with status 7"), ("fails", "no such data")])
def test_failures_are_one_line(job: Job, function: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        tracing.trace(job.model_copy(update={"workload": job.workload.replace("build", function)}))
    assert "\n" not in str(caught.value)
