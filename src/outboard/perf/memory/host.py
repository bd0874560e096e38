"""What a job asks of the host: its memory while it loads, runs and saves, and room on its disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from outboard.i18n import _
from outboard.perf.memory import layers
from outboard.perf.memory.coefficients import coefficient
from outboard.perf.memory.estimate import room_for
from outboard.perf.memory.sharing import WEIGHT_SHARES, paged
from outboard.perf.memory.timeline import OPTIMIZER
from outboard.types.estimate import HostEstimate, Term, Verdict
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Place
from outboard.types.trace import Trace

if TYPE_CHECKING:
    from outboard.types.job import Job

# Of one trained element where the host steps, in fp32: master copy, gradient, and mostly two moments [B].
MASTER, GRADIENT = 4.0, 4.0
MOMENTS = {"sgd": 0.0, "momentum": 4.0, "adamw-8bit": 2.0, "paged-adamw-8bit": 2.0, "adafactor": 0.1}
TWO_MOMENTS = 8.0
SHAPES = "shapes of the parameters"
FORMULAS = {
    "loading": "weights as they come from the disk",
    "offloaded": "master copy, gradients and states in fp32; with all, the weights too",
    "paged": "states of the optimizer",
    "saving": "weights in host memory before they are written; of shares those of all devices, with the states",
}


@dataclass(frozen=True)
class _Sizes:
    """Bytes of all weights, of the largest layer, and of the optimizer's states. [B]"""

    weights: float
    layer: float
    states: float


def host_estimate(job: Job, trace: Trace, place: Place, ram: float | None = None) -> HostEstimate:
    """Host memory and disk of ``job`` at ``place``, all processes together; ``ram`` is what the host has [B], if known.

    Nothing here depends on the batch, and what loads the data is only guessed at.
    """
    model = layers.split(trace)
    sizes = _Sizes(model.total, max(model.layer, model.outside), _states(trace))
    return HostEstimate(ram=_ram(job, trace, place, sizes), disk=_disk(job, sizes), available=ram)


def host_verdict(host: HostEstimate) -> Verdict:
    """Whether the job fits into the host's memory; a host that nobody described is no reason against a job."""
    if host.available is None or host.ram.value is None:
        return "fits"
    return room_for(host.ram, host.available)


def _states(trace: Trace) -> float:
    """Bytes of the optimizer's states, as the trace holds them [B]."""
    there = (trace.tensors.category == OPTIMIZER) & (trace.tensors.birth < 0)
    return float(np.maximum(trace.tensors.size.constant[there], 0.0).sum())


def _ram(job: Job, trace: Trace, place: Place, sizes: _Sizes) -> Term:
    processes = 1 if job.parallel == "dp" else place.count
    always = [_fact("processes", coefficient("host", "process"), processes)]
    if job.task != "infer":
        always.append(_workers(job, processes))
    offloaded = _offloaded(job, trace, sizes)
    if offloaded is not None:
        always.append(offloaded)
    loading, saving = _loading(sizes, processes), _saving(job, place, sizes)
    passing = max((loading, saving), key=lambda term: term.value or 0.0)
    return _sum("ram", [*always, passing], _peak_note(passing.name))


def _workers(job: Job, processes: int) -> Term:
    """Processes that load data, each with its own Python and some batches."""
    each, usual = coefficient("host", "worker"), coefficient("host", "workers")
    if job.workers is not None:
        return _fact("workers", each, processes * job.workers)
    low, high = (0.0 if usual.low is None else usual.low), (usual.value if usual.high is None else usual.high)
    return Term(
        "workers",
        each.value * usual.value * processes,
        "B",
        usual.source,
        usual.evidence,
        low * each.value * processes,
        high * each.value * processes,
        f"{processes} * {usual.value:g} * {each.value / 1e9:g} GB",
    )


def _peak_note(name: str) -> str:
    return _("at its highest while loading") if name == "loading" else _("at its highest while a checkpoint is saved")


def _offloaded(job: Job, trace: Trace, sizes: _Sizes) -> Term | None:
    if paged(job) and job.offload == "none":
        return _paged(sizes)
    if job.offload == "none":
        return None
    trained = float(trace.parameters.elements[trace.parameters.trainable].sum()) if job.task != "infer" else 0.0
    each = MASTER + GRADIENT + MOMENTS.get(job.optimizer, TWO_MOMENTS)
    size = trained * each + (sizes.weights if job.offload == "all" else 0.0)
    return _size("offloaded", size, size, 1.25 * size)


def _paged(sizes: _Sizes) -> Term:
    """States that the driver moves here where the device has no room: all of them, or none where it has."""
    note = _("none of it where the device has room for them: the forecast takes it that it has not")
    return Term("paged", sizes.states, "B", SHAPES, Evidence.ASSUMED, 0.0, sizes.states, FORMULAS["paged"], note)


def _loading(sizes: _Sizes, processes: int) -> Term:
    """Files are mapped and read layer by layer at best; at worst every process reads its own copy."""
    return _size("loading", sizes.layer, sizes.weights, sizes.weights * max(processes, 1))


def _saving(job: Job, place: Place, sizes: _Sizes) -> Term:
    if job.task == "infer":
        return _size("saving", 0.0, 0.0, 0.0)
    gathered = place.count > 1 and job.parallel in WEIGHT_SHARES
    value = sizes.weights + (sizes.states if gathered else 0.0)
    return _size("saving", sizes.layer, value, sizes.weights + sizes.states)


def _disk(job: Job, sizes: _Sizes) -> Term:
    if job.task == "infer":
        weights = _size("weights", 0.0, sizes.weights, sizes.weights)
        return _sum("disk", [weights], "")
    one = sizes.weights + sizes.states
    kept = Term(
        "checkpoints", 2.0 * one, "B", SHAPES, Evidence.ASSUMED, sizes.weights, 3.0 * one,
        formula="2 * (weights + states)", note=_("the new one is written before the old one goes"),
    )  # fmt: skip
    return _sum("disk", [kept], _("without the data set"))


def _size(name: str, low: float, value: float, high: float) -> Term:
    low, high = min(low, value), max(high, value)
    return Term(name, value, "B", SHAPES, Evidence.ASSUMED, low, high, FORMULAS.get(name, ""))


def _fact(name: str, fact: Fact, times: int) -> Term:
    low, high = (fact.value if end is None else end for end in (fact.low, fact.high))
    return Term(
        name, fact.value * times, "B", fact.source, fact.evidence, low * times, high * times, f"{times} * {name}"
    )


def _sum(name: str, parts: list[Term], note: str) -> Term:
    def total(end: str) -> float:
        return sum(float(getattr(part, end)) for part in parts)

    return Term(
        name,
        total("value"),
        "B",
        "sum of its parts",
        Evidence.ASSUMED,
        total("low"),
        total("high"),
        " + ".join(part.name for part in parts),
        note,
        tuple(parts),
    )
