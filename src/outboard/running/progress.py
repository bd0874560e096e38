"""How far a run is, when it ends, what it has cost, and how that compares with its forecast."""

from dataclasses import dataclass
from typing import Any

from outboard.types.run import GOING, Run

HOUR = 3600.0


@dataclass(frozen=True)
class Progress:
    """What people see of a run beside its state; None where nobody can tell."""

    share: float | None = None  # [1]
    samples: float | None = None
    total: float | None = None
    step: float | None = None
    rate: float | None = None  # samples/s, measured
    forecast_rate: float | None = None  # samples/s
    left: tuple[float, float, float] | None = None  # [h], low, middle, high
    hours: float | None = None  # it has been kept so long
    cost: float | None = None  # so far [USD]
    forecast_cost: float | None = None  # in all [USD]

    @property
    def off(self) -> float | None:
        """Forecast rate / measured rate - 1."""
        return self.forecast_rate / self.rate - 1.0 if self.rate and self.forecast_rate else None


def progress(run: Run) -> Progress:
    """Read it from what the keeper told and what was forecast."""
    told, asked = run.told, run.forecast
    reached: dict[str, Any] = told.get("progress") or {}
    samples, step = _number(reached.get("samples")), _number(reached.get("step"))
    total, steps = _number(asked.get("total_samples")), _number(reached.get("total"))
    share = _share(samples, total) if samples is not None and total else _share(step, steps)
    hours = told["seconds"] / HOUR if "seconds" in told else None
    rate, planned = told.get("rate"), _middle(asked.get("rate"))
    counted = samples is not None and total is not None
    if counted:
        left = _left(total - samples if total and samples is not None else None, rate, planned, asked)
    else:
        left = _left(steps - step if steps is not None and step is not None else None, rate, None, asked)
    return Progress(
        share=1.0 if run.state == "done" else share,
        samples=samples,
        total=total,
        step=step,
        rate=rate if samples is not None else None,
        forecast_rate=planned,
        left=left if run.state in GOING else None,
        hours=hours,
        cost=cost(run, hours),
        forecast_cost=_middle(asked.get("cost")),
    )


def cost(run: Run, hours: float | None) -> float | None:
    """What the run has cost so far [USD]: here, and at the places it was at before."""
    per_hour, spent = run.forecast.get("usd_per_hour"), run.forecast.get("spent") or {}
    if per_hour is None or hours is None:
        return None
    return float(spent.get("usd", 0.0)) + max(0.0, hours - float(spent.get("hours", 0.0))) * per_hour


def _left(
    todo: float | None, rate: float | None, planned: float | None, asked: dict[str, Any]
) -> tuple[float, float, float] | None:
    """From the measured rate, within a tenth; before there is one, from the forecast with its band."""
    if todo is None:
        return None
    if rate:
        middle = max(0.0, todo) / rate / HOUR
        return (0.9 * middle, middle, 1.1 * middle)
    band = asked.get("rate")
    if not planned or not band or not all(band):
        return None
    low, middle, high = (max(0.0, todo) / each / HOUR for each in (band[2], band[1], band[0]))
    return (low, middle, high)


def _share(done: float | None, of: float | None) -> float | None:
    return None if done is None or not of else min(1.0, done / of)


def _middle(band: list[float] | None) -> float | None:
    return None if not band else band[1]


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
