"""Forecasts made by hand, so that what is printed can be tested apart from what is computed."""

from typing import Any

from outboard.types.estimate import Estimate, HostEstimate, MemoryEstimate, StepEstimate, Term
from outboard.types.evidence import Evidence

GIB = 2.0**30
PARTS = ("weights", "gradients", "optimizer", "activations", "temporaries", "framework and context")
TIMES = ("compute", "memory traffic", "launches", "link", "optimizer")


def term(name: str, value: float | None, unit: str, **more: Any) -> Term:
    origin: dict[str, Any] = {"source": "made for a test", "evidence": Evidence.FITTED}
    if value is None:
        origin["note"] = "nobody knows"
    else:
        origin |= {"low": value * 0.9, "high": value * 1.2}
    return Term(name, value, unit, **{**origin, **more})


def memory(required: float = 9.0) -> MemoryEstimate:
    parts = tuple(term(name, required / 8 * GIB, "B") for name in PARTS)
    return MemoryEstimate(
        peak=term("peak", required / 8 * 6 * GIB, "B", formula="sum of the parts", children=parts),
        reserved=term("reserved", required / 8 * 7 * GIB, "B"),
        required=term("required", required * GIB, "B"),
        available=term("available", 11.6 * GIB, "B"),
        parts=parts,
    )


def step() -> StepEstimate:
    parts = tuple(term(name, 0.02 * (index + 1), "s") for index, name in enumerate(TIMES))
    return StepEstimate(
        seconds=term("step", 0.3, "s", children=parts),
        parts=parts,
        bottleneck="link",
        throughput=term("throughput", 213.4, "images/s"),
        link_slowdown=term("link slowdown", 1.31, "1"),
    )


def estimate(**changes: Any) -> Estimate:
    fields: dict[str, Any] = {
        "workload": "zoo:resnet50",
        "task": "train",
        "precision": "fp32",
        "place": "rtx-3060-12gb@tb3",
        "verdict": "fits",
        "batch": 64,
        "safe_max_batch": 96,
        "memory": memory(),
        "step": step(),
        "host": HostEstimate(term("ram", 12e9, "B"), term("disk", 3e9, "B")),
        "evidence": Evidence.FITTED,
        "warnings": ("bf16 is emulated on this device",),
        "assumptions": ("the host keeps up",),
        "levers": ("--batch 32", "--grad-checkpointing"),
    }
    return Estimate(**{**fields, **changes})
