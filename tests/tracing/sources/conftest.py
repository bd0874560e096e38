"""Recording a workload, in one call."""

from collections.abc import Callable

import pytest

from outboard.tracing.raw import RawStep
from outboard.types.job import Job

Trace = Callable[..., list[RawStep]]


@pytest.fixture
def steps() -> Trace:
    """``steps(workload, batches=(2, 3), **job)``: the steps, after checking that they align row by row."""
    pytest.importorskip("torch")
    from outboard.tracing.recorder import record_steps

    def run(workload: str, batches: tuple[int, ...] = (2, 3), **options: object) -> list[RawStep]:
        found = record_steps(Job(workload=workload, **options), batches)  # type: ignore[arg-type]
        for other in found[1:]:
            assert [(r.name, r.kind, r.dtype, r.phase) for r in other.operators] == [
                (r.name, r.kind, r.dtype, r.phase) for r in found[0].operators
            ]
            assert [(t.category, t.birth, t.death) for t in other.tensors] == [
                (t.category, t.birth, t.death) for t in found[0].tensors
            ]
        assert not [row.name for step in found for row in step.operators if row.kind == "other"]
        return found

    return run
