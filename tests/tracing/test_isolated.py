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

def plain(batch_size):
    return torch.nn.Linear(8, 4), torch.zeros(batch_size, 8)

def lion(batch_size):
    class Lion(torch.optim.SGD):
        pass

    model, batch = plain(batch_size)
    return model, batch, Lion(model.parameters(), 0.1)

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


def test_a_step_without_an_optimizer_takes_the_jobs(job: Job) -> None:
    plain = job.model_copy(update={"workload": job.workload.replace("build", "plain")})
    assert tracing.trace(plain).info.optimizer == "adamw"
    assert tracing.trace(plain.model_copy(update={"task": "infer"})).parameter_count() == 8 * 4 + 4


def test_an_optimizer_without_a_recipe_is_said(job: Job) -> None:
    trace = tracing.trace(job.model_copy(update={"workload": job.workload.replace("build", "lion")}))
    assert trace.info.optimizer == "adamw"
    assert any("Lion" in warning for warning in trace.info.warnings)


@pytest.mark.parametrize(("function", "message"), [("dies", "ended with status 7"), ("fails", "no such data")])
def test_failures_are_one_line(job: Job, function: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        tracing.trace(job.model_copy(update={"workload": job.workload.replace("build", function)}))
    assert "\n" not in str(caught.value)
