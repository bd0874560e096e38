"""Outboard: where should this deep-learning job run, what will it cost, and please run it there.

::

    import outboard as ob

    job = ob.Job(workload="timm:resnet50", task="train", precision="amp-fp16", batch_size=256, image_size=224)
    trace = ob.trace(job)
    est = ob.estimate(trace, "rtx-3090@tb3")
    est.memory.peak.value  # bytes
    est.step.seconds.value  # s, with .low and .high

Importing the package reads nothing else: each name below is fetched when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outboard.api import compare, estimate, load_trace, plan, save_trace, trace
    from outboard.errors import OutboardError
    from outboard.feeding import feed
    from outboard.resuming.checkpoint import Checkpoint
    from outboard.resuming.report import report
    from outboard.types.estimate import Estimate, Term
    from outboard.types.evidence import Evidence
    from outboard.types.hardware import Device, Link, Place
    from outboard.types.job import Job
    from outboard.types.trace import Trace

__all__ = [
    "Checkpoint",
    "Device",
    "Estimate",
    "Evidence",
    "Job",
    "Link",
    "OutboardError",
    "Place",
    "Term",
    "Trace",
    "compare",
    "estimate",
    "feed",
    "load_trace",
    "plan",
    "report",
    "save_trace",
    "trace",
]

_HOME = {
    "Job": "types.job",
    "Trace": "types.trace",
    "Estimate": "types.estimate",
    "Term": "types.estimate",
    "Evidence": "types.evidence",
    "Device": "types.hardware",
    "Link": "types.hardware",
    "Place": "types.hardware",
    "OutboardError": "errors",
    "feed": "feeding",
    "report": "resuming.report",
    "Checkpoint": "resuming.checkpoint",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'outboard' has no attribute '{name}'")
    value = getattr(import_module(f"outboard.{_HOME.get(name, 'api')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
