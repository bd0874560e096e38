"""The array type of this room, and how many draws become the three numbers that people read."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Num: TypeAlias = float | Array

HOURS_PER_WEEK = 168.0
WEEKS_PER_YEAR = 52.0
MONTHS_PER_YEAR = 12.0
HOURS_PER_MONTH = 730.0
HOURS_PER_YEAR = 8760.0


def array(value: Num) -> Array:
    """Return ``value`` as an array of floats; a plain number becomes an array of one."""
    return np.atleast_1d(np.asarray(value, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class Band:
    """Median and 80 % interval. Infinite means never."""

    p10: float
    p50: float
    p90: float


def band(draws: Array) -> Band:
    """Return the 10th, 50th and 90th percentile, each a value that was drawn.

    No interpolation: half way between a month and never is not a number of months.

    >>> band(np.array([3.0, 1.0, np.inf, 2.0, 5.0]))
    Band(p10=1.0, p50=3.0, p90=inf)
    """
    last = draws.size - 1
    places = [round(share * last) for share in (0.1, 0.5, 0.9)]
    low, middle, high = (float(value) for value in np.partition(draws, places)[places])
    return Band(low, middle, high)
