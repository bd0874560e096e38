"""What is forecast of one job at one place."""

from dataclasses import dataclass

from outboard.types.evidence import Fact
from outboard.types.plan import Reason


@dataclass(frozen=True)
class Forecast:
    """One job at one place: hours of undisturbed work, or why it cannot be done there."""

    hours: Fact | None  # [h]
    batch: int | None
    problem: Reason | None = None
    notes: tuple[str, ...] = ()
