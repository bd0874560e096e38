"""One replay at one place, told as a tree of terms."""

import math

import numpy as np

from outboard.i18n import _
from outboard.perf.time import cpu
from outboard.perf.time.collectives import gradient_bytes
from outboard.perf.time.places import PlaceArrays
from outboard.perf.time.rates import matrix_rate
from outboard.perf.time.spread import step_causes
from outboard.perf.time.step import PARTS, StepReplay, replay
from outboard.perf.time.transfer import input_bytes
from outboard.types.estimate import StepEstimate, Term
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import FloatArray, Trace
from outboard.uncertainty import Band, band

SOURCE = "Outboard's time model (docs/methodology/time.md), coefficients.toml"
OPERAND = {"amp-fp16": "fp16", "amp-bf16": "bf16"}


def step_estimate(job: Job, trace: Trace, batch: int, place: Place) -> StepEstimate:
    """The step time of ``job`` at ``place`` with ``batch`` samples per device and micro-step."""
    batches = np.array([float(batch)])
    on_cpu = place.device.vendor == "cpu"
    step = (
        cpu.replay(job, trace, batches, place.device)
        if on_cpu
        else replay(job, trace, batches, PlaceArrays.of([place]))
    )
    total, resident = float(step.total[0, 0]), float(step.resident[0, 0])
    # A processor's own figures are the whole model: there is neither a fit nor a link.
    evidence = (
        cpu.evidence(place.device) if on_cpu else max(Evidence.FITTED, *(fact.evidence for fact in _facts(job, place)))
    )
    spread = band(total, step_causes(job, trace, place, step)) if math.isfinite(total) else None
    parts = tuple(_part(name, step, evidence, _inputs(name, job, trace, batches, place)) for name in PARTS)
    return StepEstimate(
        seconds=_total(total, spread, evidence, parts),
        parts=parts,
        bottleneck=step.bottleneck(0, 0),
        throughput=_throughput(job, trace, batch, place, total, spread, evidence),
        link_slowdown=_term(
            "link_slowdown", total / resident, "1", evidence, formula="step time / step time with resident data"
        ),
    )


def _total(total: float, spread: Band | None, evidence: Evidence, parts: tuple[Term, ...]) -> Term:
    note = ""
    if spread and spread.causes:
        shares = ", ".join(f"{cause.name} {(cause.sigma / spread.sigma) ** 2:.0%}" for cause in spread.causes[:3])
        note = _("80 % band; widest causes: {causes}").format(causes=shares)
    return _term("step", total, "s", evidence, spread, " + ".join(PARTS), note, parts)


def _throughput(
    job: Job, trace: Trace, batch: int, place: Place, total: float, spread: Band | None, evidence: Evidence
) -> Term:
    micro = job.grad_accumulation if job.task != "infer" else 1
    samples = float(batch * micro * place.count)
    inverse = Band(samples / spread.high, samples / spread.low, spread.sigma, spread.causes) if spread else None
    formula = "batch x micro-steps x devices / step time"
    return _term("throughput", samples / total, f"{trace.info.unit}/s", evidence, inverse, formula)


def _part(name: str, step: StepReplay, evidence: Evidence, children: tuple[Term, ...]) -> Term:
    value = float(getattr(step, name)[0, 0])
    return _term(name, value, "s", evidence, formula=FORMULAS[name], children=children)


def _term(
    name: str,
    value: float,
    unit: str,
    evidence: Evidence,
    spread: Band | None = None,
    formula: str = "",
    note: str = "",
    children: tuple[Term, ...] = (),
) -> Term:
    """A term of this model; a value that is not a number becomes an unknown one that says why."""
    known = math.isfinite(value)
    return Term(
        name=name,
        value=value if known else None,
        unit=unit,
        source=SOURCE,
        evidence=evidence,
        low=spread.low if spread and known else None,
        high=spread.high if spread and known else None,
        formula=formula,
        note=note if known else _("the device's table has no rate for an operand type of this job"),
        children=children,
    )


FORMULAS = {
    "compute": "sum over operators bound by arithmetic: padded FLOP / (rate x efficiency), tiles and waves",
    "memory": "sum over operators bound by memory: bytes / (bandwidth x efficiency of the class), cache hits faster",
    "launch": "kernels x floor + what the processor's issue rate adds + per-step overhead",
    "optimizer": "bytes of weights, gradients and states / (bandwidth x efficiency)",
    "link": "serial: copies x latency + bytes / link bandwidth; overlapped: what outlasts the rest; resident: 0",
    "collective": "2 (n-1)/n gradient bytes / (slowest link x efficiency) + steps x latency, less what backward hides",
}


def _inputs(name: str, job: Job, trace: Trace, batches: FloatArray, place: Place) -> tuple[Term, ...]:
    """The inputs that a part was computed from."""
    device, link = place.device, place.link
    if device.measured:
        return tuple(
            _fact(known, fact) for known, fact in device.measured.items() if known in cpu.figures(name, device)
        )
    if name == "compute":
        return _rate(job, place)
    if name in ("memory", "optimizer"):
        return (_fact("memory bandwidth", device.memory_bandwidth),)
    if name == "link":
        size = float(input_bytes(job, trace, batches)[0])
        copied = Term("input batch", size, "B", "trace", Evidence.FITTED, formula="bytes of all input tensors")
        return copied, _fact("link bandwidth", link.h2d), _fact("link latency", link.latency)
    if name == "collective" and place.count > 1 and job.task != "infer":
        size = Term("gradients", gradient_bytes(trace), "B", "trace", Evidence.FITTED, formula="trainable parameters")
        return size, _fact("exchange bandwidth", (place.interconnect or link).h2d)
    return ()


def _rate(job: Job, place: Place) -> tuple[Term, ...]:
    operand = OPERAND.get(job.precision, job.precision)
    device = place.device
    if operand in device.matmul:
        return (_fact(f"{operand} matrix rate", device.matmul[operand]),)
    rate, _tensor = matrix_rate(device, operand)
    if not math.isfinite(rate):
        return ()
    base = device.vector.get(operand) or device.vector.get("fp32")
    source = base.source if base else SOURCE
    return (
        Term(
            f"{operand} rate",
            rate,
            "FLOP/s",
            source,
            Evidence.DATASHEET,
            note=_("no matrix units for this type: ordinary units are used"),
        ),
    )


def _facts(job: Job, place: Place) -> tuple[Fact, ...]:
    facts = [place.device.memory_bandwidth]
    operand = OPERAND.get(job.precision, job.precision)
    if operand in place.device.matmul:
        facts.append(place.device.matmul[operand])
    if job.input_copy != "resident":
        facts.append(place.link.h2d)
    return tuple(facts)


def _fact(name: str, fact: Fact) -> Term:
    return Term(name, fact.value, fact.unit, fact.source, fact.evidence, fact.low, fact.high, note=fact.note)
