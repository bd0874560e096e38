"""The host's pipeline and the cable told as terms: what each stage takes for a batch, and the facts behind it."""

import math

import numpy as np

from outboard.i18n import _
from outboard.perf.input.facts import fact, known
from outboard.perf.input.load import Load, load
from outboard.perf.input.pipeline import has_engine, input_times, worker_count
from outboard.perf.input.transfer import link_rate
from outboard.types.estimate import Term
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace
from outboard.uncertainty import fact_sigma

SOURCE = "Outboard's model of the input pipeline (docs/methodology/link.md), perf/input/facts.toml"
FORMULAS = {
    "disk": "stored bytes of the batches of all devices / reading rate",
    "workers": "(decode + augment + tensor + collate) x batch / workers that have a core",
    "pin": "bytes of the batch / copying rate of one thread",
    "engine": "stored pixels / decoding rate of the device's engine, beside the step",
    "device": "stored pixels / decoding rate of the device, in place of the step",
}


def cores(place: Place) -> Fact:
    """Cores of the host, as far as anybody said."""
    return place.host.cores or fact("host.cores")


def disk(place: Place) -> Fact:
    """Reading rate of the host's disk, as far as anybody said [B/s]."""
    return place.host.disk or fact("host.disk")


def input_terms(job: Job, trace: Trace, samples: float, place: Place) -> tuple[Term, ...]:
    """What each stage of the pipeline needs for ``samples`` of one device, and what a sample costs a core."""
    sample = load(job, trace)
    if sample is None:
        return ()
    here, speed, devices = (np.array([value]) for value in (cores(place).value, disk(place).value, float(place.count)))
    engines = np.array([float(has_engine(place.device.architecture))])
    times = input_times(job, sample, np.array([samples]), here, speed, devices, engines)
    evidence = max(sample.evidence, cores(place).evidence, disk(place).evidence)
    stages = [
        Term(name, seconds, "s", SOURCE, evidence, formula=formula)
        for name, formula in FORMULAS.items()
        if math.isfinite(seconds := float(getattr(times, name)[0, 0])) and seconds > 0
    ]
    workers = float(worker_count(job, here, devices)[0])
    running = Term("workers with a core", workers, "1", SOURCE, Evidence.FITTED, formula="min(workers, cores left)")
    return (*stages, _sample(sample), running, as_term("cores", cores(place)), as_term("disk rate", disk(place)))


def _sample(sample: Load) -> Term:
    parts = tuple(
        Term(name, float(getattr(sample, name)), "s", SOURCE, sample.evidence)
        for name in ("decode", "augment", "tensor", "collate")
    )
    formula = "sum over facts of seconds per stored pixel, byte, pixel left, element, byte of the batch"
    return Term(
        "a sample on one core",
        sample.processor,
        "s",
        SOURCE,
        sample.evidence,
        sample.low,
        sample.high,
        formula,
        "",
        parts,
    )


def input_sigma(job: Job, trace: Trace, place: Place) -> float:
    """Standard deviation of ln(rate of the pipeline): what a core does, and how many there are [1]."""
    sample = load(job, trace)
    if sample is None:
        return 0.0
    of_cores = cores(place) if job.workers is None else None
    counted = fact_sigma(of_cores.value, of_cores.low, of_cores.high) if of_cores else 0.0
    return math.hypot(fact_sigma(sample.processor, sample.low, sample.high), counted)


def link_terms(place: Place) -> tuple[Term, ...]:
    """Bandwidth of the link, and what screens and other devices leave of it."""
    whole = as_term("link bandwidth", place.link.h2d)
    if place.host.display <= 0 and place.host.sharing == 1:
        return (whole,)
    said = place.host.display > 0 and known(f"cable.{place.link.id}") is None
    note = _("this link carries no screens; what they take is left out") if said else ""
    formula = "min(PCIe share, (line rate - screens) x payload) / devices that share it"
    return (
        Term(
            "left to the device", link_rate(place), "B/s", SOURCE, Evidence.ASSUMED, None, None, formula, note, (whole,)
        ),
    )


def as_term(name: str, known_fact: Fact) -> Term:
    """A fact as a term."""
    return Term(
        name,
        known_fact.value,
        known_fact.unit,
        known_fact.source,
        known_fact.evidence,
        known_fact.low,
        known_fact.high,
        note=known_fact.note,
    )
