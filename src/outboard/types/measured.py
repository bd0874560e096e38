"""What was measured on a machine: a figure of a device, and a job's step time or memory beside its forecast."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Figure:
    """One measured rate or time of a device, in SI units. ``low`` and ``high`` are the spread of the repetitions."""

    name: str  # e.g. "matmul.fp32", "conv.flops", "copy.h2d.pinned"
    value: float
    low: float
    high: float
    unit: str  # "FLOP/s", "B/s", "s", "1/s"
    repetitions: int
    device: str = "cpu"
    date: str = ""  # ISO
    versions: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class JobMeasurement:
    """One job's measured quantity, and what was forecast before it ran [both in ``s`` or ``B``].

    ``cells`` are the columns of ``outboard validate`` that say what was measured; ``job`` is a key made of them.
    """

    machine: str
    device: str
    job: str
    quantity: str  # "step_time" or "peak_memory"
    value: float
    cells: dict[str, str]
    low: float | None = None
    high: float | None = None
    forecast: float | None = None
    date: str = ""

    @property
    def error(self) -> float | None:
        """Forecast / measured - 1, None where nothing was forecast."""
        return None if self.forecast is None else self.forecast / self.value - 1.0
