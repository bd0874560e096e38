"""Estimates as trees of terms: every number with its unit, band, formula, inputs, source and evidence."""

from dataclasses import dataclass, field
from typing import Literal

from outboard.types.evidence import Evidence

Verdict = Literal["fits", "tight", "does_not_fit", "unknown"]
Bottleneck = Literal["compute", "memory", "launch", "link", "input", "collective", "pauses", "unknown"]


@dataclass(frozen=True)
class Term:
    """One number of a forecast. ``children`` are the terms it was computed from, so a tree explains itself.

    ``value`` is None when unknown, and then ``note`` says why: unknown is never zero.
    """

    name: str
    value: float | None
    unit: str
    source: str
    evidence: Evidence
    low: float | None = None
    high: float | None = None
    formula: str = ""
    note: str = ""
    children: tuple["Term", ...] = ()

    def __post_init__(self) -> None:
        if not self.source.strip():
            raise ValueError(f"a number without a source cannot be built: {self.name}")
        if self.value is None and not self.note:
            raise ValueError(f"an unknown number must say why: {self.name}")
        if self.value is None or self.low is None or self.high is None:
            return
        if self.low > self.value * (1 + 1e-9) or self.value > self.high * (1 + 1e-9):
            raise ValueError(f"{self.name}: band [{self.low}, {self.high}] does not contain {self.value}")


@dataclass(frozen=True)
class MemoryEstimate:
    """Bytes on one device. ``parts`` sum to ``peak``; ``required`` adds what must be free beside that peak."""

    peak: Term  # allocated peak, what torch.cuda.max_memory_allocated would say
    reserved: Term  # what the caching allocator holds, torch.cuda.max_memory_reserved
    required: Term  # reserved + context + library workspaces: what must be free on the device
    available: Term  # what the device offers to the job
    parts: tuple[Term, ...]


@dataclass(frozen=True)
class HostEstimate:
    """What the host must have, for all processes of the job together."""

    ram: Term  # [B]
    disk: Term  # [B]
    available: float | None = None  # memory that the host has; None where nobody said [B]


@dataclass(frozen=True)
class StepEstimate:
    """Seconds of one optimizer step (or one inference batch). ``parts`` sum to ``seconds``."""

    seconds: Term
    parts: tuple[Term, ...]
    bottleneck: Bottleneck
    throughput: Term
    link_slowdown: Term  # step time here / step time if copies took no time [1]


@dataclass(frozen=True)
class Estimate:
    """The forecast of one job at one place."""

    workload: str
    task: str
    precision: str
    place: str
    verdict: Verdict
    batch: int
    safe_max_batch: int | None  # None: unknown
    memory: MemoryEstimate
    step: StepEstimate
    evidence: Evidence
    host: HostEstimate
    warnings: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    levers: tuple[str, ...] = field(default=())
