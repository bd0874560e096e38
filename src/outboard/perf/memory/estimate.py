"""The memory of one job at one place and batch, as a tree of terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from outboard.i18n import _
from outboard.perf.memory import workspaces
from outboard.perf.memory.model import MemoryModel, loop_unstated, memory_model
from outboard.perf.memory.replay import Peak
from outboard.perf.memory.required import Band, Required, display, on_windows, place_memory, required_bytes, usable
from outboard.perf.memory.sharing import devices
from outboard.perf.memory.timeline import PARTS, accumulates
from outboard.types.estimate import MemoryEstimate, Term, Verdict
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Place
from outboard.types.trace import Trace
from outboard.units import format_bytes

if TYPE_CHECKING:
    from outboard.types.job import Job

ALLOCATOR = "c10/cuda/CUDACachingAllocator.cpp, simulated"


def memory_estimate(job: Job, trace: Trace, batch: int, place: Place) -> MemoryEstimate:
    """Bytes on one device of ``place`` at ``batch`` samples per device, with verdict-ready bands."""
    model = memory_model(job, trace, devices(job, place))
    at = place_memory(job, trace, [place])
    found = required_bytes(job, trace, np.array([float(batch)]), at)
    parts = _parts(job, trace, model, batch, place)
    source = _source(trace)
    evidence = Evidence.FITTED
    note = _in_evaluation(job, trace, model, batch) or _other_loop(job, trace, batch, place, found)
    peak = _banded("peak", found.allocated, source, evidence, "sum of parts", note, children=parts)
    return MemoryEstimate(
        peak=peak,
        reserved=_reserved(found, peak, source),
        required=_required(found, peak, place),
        available=_available(place),
        parts=parts,
    )


def _in_evaluation(job: Job, trace: Trace, model: MemoryModel, batch: int) -> str:
    """That the peak is not in a training step, or that nobody knows whether it is."""
    if job.task == "infer" or job.evaluate_every is None:
        return ""
    if trace.evaluation is None:
        return _("of training; what evaluation needs is not in this trace")
    position = int(model.value.peak(np.array([float(batch)])).position[0])
    return _("reached in evaluation") if position >= trace.tensors.steps else ""


def _other_loop(job: Job, trace: Trace, batch: int, place: Place, found: Required) -> str:
    """What the peak is in a loop that releases gradients early, where nobody said which loop it is and it matters."""
    if not loop_unstated(job):
        return ""
    early = job.model_copy(update={"gradients_released": "before-forward"})
    least = float(required_bytes(early, trace, np.array([float(batch)]), [place]).allocated.value[0, 0])
    if least > 0.99 * float(found.allocated.value[0, 0]):
        return ""
    return _("{size} where gradients are released before forward").format(size=format_bytes(least))


def verdict(required: Term, available: Term) -> Verdict:
    """``fits`` when even the high end of what is required is there, ``tight`` when only the value is."""
    return "unknown" if required.value is None or available.value is None else room_for(required, available.value)


def room_for(required: Term, available: float) -> Verdict:
    """The same for known sizes; ``available`` [B]."""
    if _high(required) <= available:
        return "fits"
    return "tight" if _value(required) <= available else "does_not_fit"


def _parts(job: Job, trace: Trace, model: MemoryModel, batch: int, place: Place) -> tuple[Term, ...]:
    """What the peak consists of; parts of zero bytes are left out."""
    peak = model.value.peak(np.array([float(batch)]))
    source = _source(trace)
    terms = [
        Term(name, size, "B", source, Evidence.FITTED, formula=_formula(name, job))
        for name, size in zip(PARTS, peak.parts[:, 0].tolist(), strict=True)
        if size > 0 and name != "workspaces"
    ]
    rounding = float(peak.rounding[0] + model.unsplit.at(peak.allocated)[0])
    terms.append(
        Term(
            "rounding",
            rounding,
            "B",
            ALLOCATOR,
            Evidence.FITTED,
            formula="ceil(size / 512 B) * 512 B - size, and block - request where not split",
        )
    )
    terms.append(_workspaces(trace, model, peak, batch, place))
    buckets = workspaces.gradient_buckets(job, trace, place)
    if buckets:
        fact = workspaces.coefficient("buckets", "default")
        terms.append(
            Term("gradient_buckets", buckets, "B", fact.source, fact.evidence, formula="bytes of trainable parameters")
        )
    return tuple(terms)


def _workspaces(trace: Trace, model: MemoryModel, peak: Peak, batch: int, place: Place) -> Term:
    """Temporaries inside operators at the peak, and the matrix library's workspaces."""
    batches = np.array([float(batch)])
    low, high = model.low.allocated(batches)[0], model.high.allocated(batches)[0]
    inside = float(peak.parts[PARTS.index("workspaces"), 0])
    threads, blas = workspaces.multiplying_threads(trace), workspaces.blas_workspace(place.device)
    operators = Term(
        "inside_operators",
        inside,
        "B",
        workspaces.coefficient("convolution", "direct").source,
        Evidence.ASSUMED,
        low=max(inside - float(peak.allocated[0] - low), 0.0),
        high=inside + float(high - peak.allocated[0]),
        formula="fraction of the bytes of the convolution or attention that runs at the peak",
    )
    library = _fact_term("blas", blas, threads, f"{threads} threads * workspace")
    return Term(
        "workspaces",
        _value(operators) + _value(library),
        "B",
        "sum of its parts",
        max(operators.evidence, library.evidence),
        low=_low(operators) + _low(library),
        high=_high(operators) + _high(library),
        formula="inside_operators + blas",
        children=(operators, library),
    )


def _reserved(found: Required, peak: Term, source: str) -> Term:
    spare = float(found.reserved.value[0, 0]) - _value(peak)
    kept = Term("kept_by_allocator", spare, "B", ALLOCATOR, Evidence.FITTED, formula="reserved - allocated")
    return _banded(
        "reserved",
        found.reserved,
        f"{source}; {ALLOCATOR}",
        Evidence.FITTED,
        "peak + kept_by_allocator",
        children=(_leaf(peak), kept),
    )


def _required(found: Required, peak: Term, place: Place) -> Term:
    context = _fact_term("context", workspaces.context(place.device), 1, "")
    between = float(found.required.value[0, 0]) - _value(peak) - _value(context)
    segments = Term(
        "fragmentation",
        between,
        "B",
        ALLOCATOR,
        Evidence.FITTED,
        formula="segments with a block in use - allocated",
        note=_("free pieces between live blocks: they cannot be given back"),
    )
    return _banded(
        "required",
        found.required,
        "sum of its parts",
        max(context.evidence, segments.evidence),
        "peak + fragmentation + context",
        note=_("the high end also counts what the allocator keeps without using it"),
        children=(_leaf(peak), segments, context),
    )


def _available(place: Place) -> Term:
    seen, screen = usable(place), display(place)
    low = max(workspaces.low(seen) - workspaces.high(screen), 0.0)
    return Term(
        "available",
        max(seen.value - screen.value, 0.0),
        "B",
        seen.source,
        max(seen.evidence, screen.evidence),
        low=low,
        high=max(workspaces.high(seen) - workspaces.low(screen), low),
        formula="usable - display",
        note=_("of its own; memory of the host that Windows shares with it does not count")
        if on_windows(place)
        else _("assumes the device otherwise idle"),
        children=(_fact_term("usable", seen, 1, ""), _fact_term("display", screen, 1, "")),
    )


def _formula(part: str, job: Job) -> str:
    if part == "gradients" and accumulates(job):
        return "all gradients, kept from the pass before, and those just born"
    if part == "gradients":
        return f"gradients alive at the peak, released {job.gradients_released}"
    if part == "output":
        return "held until the step ends" if job.output_held else "released when backward begins"
    return "sum of storages alive at the peak"


def _source(trace: Trace) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in trace.info.versions.items())
    return _("trace of {workload}").format(workload=trace.info.workload) + (f" ({versions})" if versions else "")


def _banded(
    name: str,
    band: Band,
    source: str,
    evidence: Evidence,
    formula: str,
    note: str = "",
    children: tuple[Term, ...] = (),
) -> Term:
    low, value, high = (float(end[0, 0]) for end in (band.low, band.value, band.high))
    return Term(name, value, "B", source, evidence, low, high, formula, note, children)


def _leaf(term: Term) -> Term:
    """The term without its children, where they are shown elsewhere already."""
    return Term(term.name, term.value, term.unit, term.source, term.evidence, term.low, term.high, term.formula)


def _fact_term(name: str, fact: Fact, times: float, formula: str) -> Term:
    return Term(
        name,
        fact.value * times,
        "B",
        fact.source,
        fact.evidence,
        low=workspaces.low(fact) * times,
        high=workspaces.high(fact) * times,
        formula=formula,
        note=fact.note,
    )


def _value(term: Term) -> float:
    return 0.0 if term.value is None else term.value


def _low(term: Term) -> float:
    return _value(term) if term.low is None else term.low


def _high(term: Term) -> float:
    return _value(term) if term.high is None else term.high
