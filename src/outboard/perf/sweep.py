"""One job at many places: the choices of batch are made for all of them at once."""

from collections.abc import Sequence

from outboard.perf.auto_batch import choose
from outboard.perf.estimate import at_batch
from outboard.perf.memory import safe_max_batch
from outboard.types.estimate import Estimate
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace


def sweep(job: Job, trace: Trace, places: Sequence[Place]) -> list[Estimate]:
    """Forecast ``job`` at each of ``places``, in their order."""
    safe_max = safe_max_batch(job, trace, places)
    batches = choose(job, trace, places, safe_max)
    return [
        at_batch(job, trace, place, int(batch), int(safe))
        for place, batch, safe in zip(places, batches, safe_max, strict=True)
    ]
