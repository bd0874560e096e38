"""How much a number is worth: where it came from, and the weakest link of what it was computed from."""

from dataclasses import dataclass
from enum import IntEnum


class Evidence(IntEnum):
    """Ordered from worth most to worth least: ``max`` of several is the evidence of what is computed from them."""

    MEASURED_HERE = 0
    MEASURED_ELSEWHERE = 1
    FITTED = 2
    DATASHEET = 3
    ASSUMED = 4

    @property
    def label(self) -> str:
        """The words used in files and in JSON, e.g. ``"measured elsewhere"``."""
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True)
class Fact:
    """One published or measured number in SI units, with its source.

    ``low`` and ``high`` bound the plausible values where a source gives them; equal to ``value`` otherwise.
    """

    value: float
    unit: str
    source: str
    evidence: Evidence
    low: float | None = None
    high: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if not self.source.strip():
            raise ValueError(f"a number without a source cannot be built: {self.value} {self.unit}")
