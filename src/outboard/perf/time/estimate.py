"""One replay at one place, told as a tree of terms."""

import math

import numpy as np

from outboard.i18n import _
from outboard.perf.collectives.exchange import replicas
from outboard.perf.collectives.terms import exchange_terms
from outboard.perf.input.load import load
from outboard.perf.input.terms import cores, disk, input_terms, link_terms
from outboard.perf.input.transfer import input_bytes
from outboard.perf.time import cpu
from outboard.perf.time.places import PlaceArrays
from outboard.perf.time.rates import matrix_rate
from outboard.perf.time.spread import step_causes
from outboard.perf.time.step import PARTS, StepReplay, replay
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
    total, ideal = float(step.total[0, 0]), float(step.without_link[0, 0])
    # A processor's own figures are the whole model: there is neither a fit nor a link.
    evidence = (
        cpu.evidence(place.device)
        if on_cpu
        else max(Evidence.FITTED, *(fact.evidence for fact in _facts(job, trace, place)))
    )
    spread = band(total, step_causes(job, trace, place, step)) if math.isfinite(total) else None
    parts = tuple(_part(name, step, evidence, _inputs(name, job, trace, batches, place)) for name in parts_of(job))
    return StepEstimate(
        seconds=_total(total, spread, evidence, parts),
        parts=parts,
        bottleneck=step.bottleneck(0, 0),
        throughput=_throughput(job, trace, batch, place, total, spread, evidence),
        link_slowdown=_term(
            "link_slowdown", total / ideal, "1", evidence, formula="step time / step time if copies took no time"
        ),
    )


def _total(total: float, spread: Band | None, evidence: Evidence, parts: tuple[Term, ...]) -> Term:
    note = ""
    if spread and spread.causes:
        shares = ", ".join(f"{cause.name} {(cause.sigma / spread.sigma) ** 2:.0%}" for cause in spread.causes[:3])
        note = _("80 % band; widest causes: {causes}").format(causes=shares)
    return _term("step", total, "s", evidence, spread, " + ".join(part.name for part in parts), note, parts)


def _throughput(
    job: Job, trace: Trace, batch: int, place: Place, total: float, spread: Band | None, evidence: Evidence
) -> Term:
    samples = float(batch * micro_steps(job) * replicas(job, place.count))
    inverse = Band(samples / spread.high, samples / spread.low, spread.sigma, spread.causes) if spread else None
    formula = "batch x micro-steps x replicas / step time"
    return _term("throughput", samples / total, f"{trace.info.unit}/s", evidence, inverse, formula)


def parts_of(job: Job) -> tuple[str, ...]:
    """The parts that a forecast of ``job`` tells: a pipeline and pauses only where the job speaks of them."""
    feeds = job.input_kind != "ready" and job.input_copy != "resident"
    pauses = job.syncs or job.checkpoint_every or job.evaluate_every
    left_out = {name for name, said in (("input", feeds), ("pauses", pauses)) if not said}
    return tuple(name for name in PARTS if name not in left_out)


def micro_steps(job: Job) -> int:
    """Batches in one step."""
    return job.grad_accumulation if job.task != "infer" else 1


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
    "input": "what the slowest stage of the host's pipeline outlasts the rest by; without workers all of them",
    "pauses": "synchronisations x (two latencies + one operator) + checkpoints + evaluations, spread over the steps",
    "collective": "what no other work hides of the exchange + the slowest device (docs/methodology/link.md)",
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
        return copied, *link_terms(place), _fact("link latency", link.latency)
    if name == "input":
        return input_terms(job, trace, float(batches[0]) * micro_steps(job), place)
    if name == "collective":
        return exchange_terms(job, trace, place)
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


def _facts(job: Job, trace: Trace, place: Place) -> tuple[Fact, ...]:
    facts = [place.device.memory_bandwidth]
    operand = OPERAND.get(job.precision, job.precision)
    if operand in place.device.matmul:
        facts.append(place.device.matmul[operand])
    if job.input_copy != "resident":
        facts.append(place.link.h2d)
    if load(job, trace) is not None:
        facts += [cores(place), disk(place)]
    return tuple(facts)


def _fact(name: str, fact: Fact) -> Term:
    return Term(name, fact.value, fact.unit, fact.source, fact.evidence, fact.low, fact.high, note=fact.note)
