"""A recording of any small module, in one call."""

from collections.abc import Callable
from typing import Any

import pytest

from outboard.tracing.raw import RawStep
from outboard.types.job import Job

Record = Callable[..., RawStep]


@pytest.fixture
def record() -> Record:
    """``record(model, shape, ...)``: one step of ``model`` on a float batch of ``shape``, with the sum as loss."""
    torch = pytest.importorskip("torch")
    from outboard.tracing.recorder import record_built
    from outboard.tracing.sources.base import Batch, Built

    def run(model: Any, *shapes: tuple[int, ...], loss: Any = None, **options: Any) -> RawStep:
        def make_batch(batch: int) -> Batch:
            return Batch(tuple(torch.empty(batch, *shape) for shape in shapes))

        built = Built(model, make_batch, loss or (lambda output, _: output.sum()), "samples")
        return record_built(built, Job(workload="test:model", **options), [4])[0]

    return run
