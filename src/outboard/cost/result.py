"""What a place costs: straight lines in the number of jobs, hours until done, and the terms that explain them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from outboard.cost.arrays import HOURS_PER_WEEK, MONTHS_PER_YEAR, WEEKS_PER_YEAR, Array, Band, band
from outboard.cost.formulas import growing_years
from outboard.types.estimate import Term
from outboard.types.money import Use


@dataclass(frozen=True, slots=True)
class Line:
    """Cost over the horizon as ``fixed + per_job * jobs`` [USD], present value, one per world."""

    fixed: Array
    per_job: Array


@dataclass(frozen=True)
class CostResult:
    """The cost of one place for one use, in every world.

    The cost is the largest of ``lines``: a box that idles less the more it works, or a credit that runs out, bends
    once, and a maximum of straight lines keeps break-even exact. ``unknown`` says why there is no cost.
    """

    name: str
    kind: str
    use: Use
    lines: tuple[Line, ...]
    hours: Array  # from starting a job to holding its result [h]
    machine_hours: Array  # that the place is busy with one job [h]
    explain: Callable[[], Term]
    unknown: str = ""
    capacity_week: float = HOURS_PER_WEEK  # machine hours that the place can give [h/week]

    @property
    def jobs(self) -> float:
        """Jobs over the horizon, later ones discounted like the money they cost."""
        return discounted_jobs(self.use)

    @cached_property
    def over_horizon(self) -> Array:
        """Present value of everything paid over the horizon [USD]; not a number where unknown."""
        if self.unknown:
            return np.full(self.hours.size, np.nan)
        return cost_at(self.lines, self.jobs)

    @property
    def per_job(self) -> Array:
        """Cost of one finished job [USD]: all paid over the horizon, shared by its jobs; infinite without any."""
        if self.jobs == 0:
            return np.full(self.hours.size, np.nan if self.unknown else np.inf)
        return self.over_horizon / self.jobs

    @property
    def load(self) -> Array:
        """Share of what the place can give that this use takes; above 1 it cannot keep up [1]."""
        weekly = self.machine_hours * self.use.jobs_per_month * MONTHS_PER_YEAR / WEEKS_PER_YEAR
        return weekly / self.capacity_week if np.isfinite(self.capacity_week) else np.zeros(weekly.size)

    @cached_property
    def band_over_horizon(self) -> Band | None:
        """Median and 80 % interval over the horizon [USD], None where unknown."""
        return None if self.unknown else band(self.over_horizon)

    @property
    def band_per_job(self) -> Band | None:
        """Median and 80 % interval per finished job [USD], None where unknown."""
        total = self.band_over_horizon
        if total is None or self.jobs == 0:
            return None if total is None else Band(np.inf, np.inf, np.inf)
        return Band(total.p10 / self.jobs, total.p50 / self.jobs, total.p90 / self.jobs)

    @property
    def band_hours(self) -> Band:
        """Median and 80 % interval of the hours until a job is done [h]."""
        return band(self.hours)

    @cached_property
    def tree(self) -> Term:
        """The terms of the cost, computed when somebody asks."""
        return self.explain()


def cost_at(lines: tuple[Line, ...], jobs: float) -> Array:
    """Return the cost of ``jobs`` jobs in every world [USD]."""
    if jobs == 0:  # also where one job would take for ever
        return np.maximum.reduce([line.fixed for line in lines])
    return np.maximum.reduce([line.fixed + line.per_job * jobs for line in lines])


def discounted_jobs(use: Use) -> float:
    """Return the jobs over the horizon, discounted.

    >>> round(discounted_jobs(Use(jobs_per_month=10, horizon_years=2)), 9)
    240.0
    """
    return use.jobs_per_month * MONTHS_PER_YEAR * discounted_years(use.horizon_years, use.discount_rate)


@lru_cache(maxsize=64)
def discounted_years(years: float, rate: float) -> float:
    """Return the years to multiply a steady yearly cost with [year].

    >>> discounted_years(2.0, 0.0)
    2.0
    """
    return float(growing_years(years, rate)[0])
