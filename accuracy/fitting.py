"""Least squares on ln(forecast/measured), with a weak pull of each coefficient towards where it starts."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import least_squares

from outboard.perf.time.coefficients import Coefficients, table
from outboard.types.trace import FloatArray

# Of the sum of squares, relative: far below what one more measurement would change.
TOLERANCE = 1e-5

Residuals = Callable[[Coefficients], FloatArray]


def fit(
    start: Coefficients, names: Sequence[str], residuals: Residuals, pull: float = 0.004, verbose: int = 0
) -> tuple[Coefficients, FloatArray]:
    """Fit the named coefficients within their plausible ranges; return them and the remaining residuals.

    ``pull`` is the weight of one unit of ln(coefficient/start) against one measurement's residual, times the root of
    their number: it keeps what the measurements do not determine where it was.
    """
    ranges = {name: _range(name) for name in names}
    low = np.log([max(ranges[name][0], 1e-9) for name in names])
    high = np.log([ranges[name][1] for name in names])
    origin = np.clip(np.log([getattr(start, name) for name in names]), low + 1e-6, high - 1e-6)
    count = len(residuals(start))

    def cost(x: FloatArray) -> FloatArray:
        away = pull * np.sqrt(count) * (x - origin)
        return np.concatenate([residuals(apply(start, names, x)), away])

    found = least_squares(
        cost,
        origin,
        bounds=(low, high),
        loss="soft_l1",
        f_scale=0.15,
        verbose=verbose,
        diff_step=1e-3,
        ftol=TOLERANCE,
        xtol=TOLERANCE,
    )
    best = apply(start, names, found.x)
    return best, residuals(best)


def apply(start: Coefficients, names: Sequence[str], logs: FloatArray) -> Coefficients:
    """``start`` with the named coefficients set to exp(logs)."""
    return start.with_values({name: float(value) for name, value in zip(names, np.exp(logs), strict=True)})


def _range(name: str) -> tuple[float, float]:
    low, high = table()[name]["range"]  # type: ignore[misc]
    return float(low), float(high)
