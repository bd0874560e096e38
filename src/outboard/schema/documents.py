"""Results as plain dictionaries, ready for JSON. The same document serves the terminal, the page and other programs."""

from collections.abc import Iterable
from typing import Any

from outboard.types.estimate import Estimate, MemoryEstimate, StepEstimate, Term
from outboard.types.evidence import Fact
from outboard.types.hardware import Device, Host, Link
from outboard.types.trace import Trace

Document = dict[str, Any]


def estimate(result: Estimate, tree: bool = False) -> Document:
    """One forecast; with ``tree``, every term carries the terms it was computed from."""
    return {
        "workload": result.workload,
        "task": result.task,
        "precision": result.precision,
        "place": result.place,
        "verdict": result.verdict,
        "batch": {"size": result.batch, "safe_max": result.safe_max_batch},
        "memory": _memory(result.memory, tree),
        "host": {
            "ram": term(result.host.ram, tree),
            "disk": term(result.host.disk, tree),
            "available_bytes": result.host.available,
        },
        "step": _step(result.step, tree),
        "throughput": term(result.step.throughput, tree),
        "bottleneck": result.step.bottleneck,
        "link": _link(result.step.link_slowdown),
        "evidence": result.evidence.label,
        "warnings": list(result.warnings),
        "assumptions": list(result.assumptions),
        "levers": list(result.levers),
    }


def compare(results: Iterable[Estimate], tree: bool = False) -> list[Document]:
    """Several forecasts in the order given."""
    return [estimate(result, tree) for result in results]


def term(number: Term, tree: bool = False) -> Document:
    """One number with its band, where it comes from and how much it is worth."""
    document: Document = {
        "name": number.name,
        "value": number.value,
        "low": number.low if number.low is not None else number.value,
        "high": number.high if number.high is not None else number.value,
        "unit": _symbol(number.unit),
        "source": number.source,
        "evidence": number.evidence.label,
        "formula": number.formula,
        "note": number.note,
    }
    if tree:
        document["children"] = [term(child, tree) for child in number.children]
    return document


def _memory(memory: MemoryEstimate, tree: bool) -> Document:
    totals = {f"{name}_bytes": getattr(memory, name).value for name in ("peak", "reserved", "required", "available")}
    terms = {name: term(getattr(memory, name), tree) for name in ("peak", "reserved", "required", "available")}
    return {**totals, **terms, "parts": [term(part, tree) for part in memory.parts]}


def _step(step: StepEstimate, tree: bool) -> Document:
    return {"seconds": term(step.seconds, tree), "parts": [term(part, tree) for part in step.parts]}


def _link(slowdown: Term) -> Document:
    return {"slowdown": slowdown.value, "low": slowdown.low, "high": slowdown.high}


def fact(known: Fact | None) -> Document | None:
    """One published or measured number; None when nobody published it."""
    if known is None:
        return None
    return {
        "value": known.value,
        "low": known.value if known.low is None else known.low,
        "high": known.value if known.high is None else known.high,
        "unit": _symbol(known.unit),
        "source": known.source,
        "evidence": known.evidence.label,
        "note": known.note,
    }


def _symbol(unit: str) -> str:
    """One spelling for each unit: tables write bytes in full."""
    return unit.replace("bytes", "B")


def facts(known: dict[str, Fact]) -> Document:
    """A table of facts."""
    return {name: fact(value) for name, value in known.items()}


def plain(record: Device | Link | Host) -> Document:
    """A row of the catalogue: its facts as facts, its texts as they are; what was measured here is none of it."""
    return {name: _plain(getattr(record, name)) for name in record.__dataclass_fields__ if name != "measured"}


def _plain(value: Any) -> Any:
    if isinstance(value, Fact):
        return fact(value)
    if isinstance(value, dict):
        return facts(value)
    return list(value) if isinstance(value, tuple) else value


def trace(recorded: Trace, path: str | None) -> Document:
    """What a trace holds, without its tables."""
    info = recorded.info
    return {
        "file": path,
        "workload": info.workload,
        "task": info.task,
        "precision": info.precision,
        "optimizer": info.optimizer,
        "image_size": info.image_size,
        "seq_len": info.seq_len,
        "unit": info.unit,
        "parameters": recorded.parameter_count(),
        "operators": len(recorded.operators),
        "tensors": len(recorded.tensors),
        "flops": {"constant": _sum(recorded, "constant"), "per_sample": _sum(recorded, "per_batch")},
        "traced_batches": list(info.traced_batches),
        "not_affine_error": recorded.not_affine_error,
        "versions": dict(info.versions),
        "warnings": list(info.warnings),
        "format_version": recorded.format_version,
    }


def _sum(recorded: Trace, column: str) -> float:
    table = recorded.operators
    return float((getattr(table.flops, column) * table.count).sum())
