"""What only one table knows, fitted on some of its GPUs for the others: old hosts and libraries, other vendors."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize_scalar

from accuracy.scores import score
from accuracy.subjects import Subject
from outboard.perf.time import coefficients
from outboard.perf.time.coefficients import Coefficients

ROUNDS = 2  # each coefficient after the other, so often
AMD = ("amd_arithmetic", "amd_memory")
AMD_GPUS = ("mi100", "mi210")  # what the tables call an MI250 is one die of it, which has the units of an MI210
OLD = ("convolution_double",)  # of PyTorch 1
SAMPLED = 4  # each so many rows of the precision sweep are enough to fit a number
# How slow the hosts of its time are cannot be transferred: the two of the table differ by two. Their rows are judged as
# if they were as fast as those of today.
TODAY = {"issue_old": 1.0}


def fitted_on(subjects: Sequence[Subject], names: tuple[str, ...], start: Coefficients) -> Coefficients:
    """``start`` with ``names`` fitted on ``subjects``, one after the other."""
    c = start
    for _round in range(ROUNDS):
        for name in names:
            low, high = (float(end) for end in coefficients.table()[name]["range"])  # type: ignore[attr-defined]
            c = c.with_values({name: _best(subjects, c, name, low, high)})
    return c


def _best(subjects: Sequence[Subject], c: Coefficients, name: str, low: float, high: float) -> float:
    def off(value: float) -> float:
        scores = score(subjects, c.with_values({name: float(value)}))
        return float(np.mean(np.abs(np.log([one.forecast / one.measured for one in scores]))))

    return float(minimize_scalar(off, bounds=(low, high), method="bounded", options={"maxiter": 12}).x)
