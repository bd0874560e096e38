"""One measured row, as the table states it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Measurement:
    """What somebody measured: ``value`` in SI, everything else as the table wrote it, empty where it says nothing."""

    line: int  # in the file, the heading is line 1
    id: str
    workload: str
    gpu: str
    quantity: str  # a key of quantities.UNITS
    value: float  # in ``si_unit``
    unit: str  # as written
    scale: float  # ``value`` is the written number times this
    si_unit: str  # "samples/s", "tokens/s", "s" or "B"
    batch_size: int | None = None
    columns: Mapping[str, str] = field(default_factory=dict[str, str])  # every other column, source and note included

    @property
    def written(self) -> float:
        """The measured number in the unit of the table."""
        return self.value / self.scale

    def text(self, column: str) -> str:
        """What a column says, empty where it is missing or says nothing."""
        return self.columns.get(column, "")
