"""What a run showed is kept beside what was forecast of it, for the next forecast of the same job there."""

from outboard import clock
from outboard.store import Store
from outboard.types.measured import JobMeasurement
from outboard.types.run import Run

LEAST = 20  # steps: fewer are mostly start-up
SPREAD = 0.1  # of the rate of one run against the next of the same job [1]


def keep(run: Run, store: Store) -> list[JobMeasurement]:
    """Keep the step time and the peak memory of a run whose job and place are known; return what was kept."""
    learnt = run.forecast.get("learnt_as")
    if not learnt:
        return []
    found = [one for one in (_step(run, learnt), _memory(run, learnt)) if one is not None]
    store.save_measurements(found)
    return found


def _step(run: Run, learnt: dict[str, object]) -> JobMeasurement | None:
    rate, each = run.told.get("rate"), run.forecast.get("samples_per_step")
    samples = (run.told.get("progress") or {}).get("samples")
    if not rate or not each or samples is None or samples < LEAST * each:
        return None
    rates = run.forecast.get("rate")
    seconds = each / rate
    return _made(
        learnt,
        quantity="step_time",
        value=seconds,
        low=seconds * (1.0 - SPREAD),
        high=seconds * (1.0 + SPREAD),
        forecast=each / rates[1] if rates else None,
    )


def _memory(run: Run, learnt: dict[str, object]) -> JobMeasurement | None:
    peak = (run.told.get("peaks") or {}).get("gpu_peak")
    return _made(learnt, "peak_memory", float(peak), None, None, run.forecast.get("gpu_memory")) if peak else None


def _made(
    learnt: dict[str, object],
    quantity: str,
    value: float,
    low: float | None,
    high: float | None,
    forecast: float | None,
) -> JobMeasurement:
    return JobMeasurement(
        machine=str(learnt["machine"]),
        device=str(learnt["device"]),
        job=str(learnt["job"]),
        quantity=quantity,
        value=value,
        cells=learnt["cells"],  # type: ignore[arg-type]
        low=low,
        high=high,
        forecast=forecast,
        date=clock.today().isoformat(),
    )
