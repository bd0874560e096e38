"""What a university cluster costs: a queue whose length nobody knows, wall-time limits, perhaps a charge."""

from functools import partial

import numpy as np

from outboard.cost.arrays import MONTHS_PER_YEAR, WEEKS_PER_YEAR, Array
from outboard.cost.draws import Draws
from outboard.cost.formulas import queue_cost, sessions
from outboard.cost.result import CostResult, Line
from outboard.cost.terms import drawn, stated
from outboard.i18n import _
from outboard.types.estimate import Term
from outboard.types.money import Cluster, Use, Work


def cluster(place: Cluster, work: Work, use: Use, draws: Draws) -> CostResult:
    """Return the cost of a cluster and the hours until a job is done, queue included.

    A job longer than the wall-time limit is submitted again and waits again.
    """
    busy, waited, count = _hours(place, work, draws)
    elapsed = busy + waited
    ends = np.isfinite(count)
    none = np.zeros(draws.count)
    charge = draws.of(place.usd_per_hour, f"rate:{place.name}") if place.usd_per_hour else none
    attention = draws.of(place.hands_on_hours, "hands on") if place.hands_on_hours else none
    paid = charge * np.where(ends, busy, 0.0) + queue_cost(use.waiting_value, np.where(ends, elapsed, 0.0))
    line = Line(none, np.where(ends, paid + use.time_value * attention, np.inf))
    capacity = place.hours_month * MONTHS_PER_YEAR / WEEKS_PER_YEAR
    explain = partial(_explain, place, work, use, draws)
    return CostResult(place.name, "cluster", use, (line,), elapsed, busy, explain, capacity_week=capacity)


def _hours(place: Cluster, work: Work, draws: Draws) -> tuple[Array, Array, Array]:
    """Return the hours computing, the hours in the queue [h], and how often the job is submitted [1]."""
    hours = draws.of(work.hours, work.cause)
    count = sessions(hours, place.walltime_hours, place.restart_hours)
    return hours + count * place.restart_hours, count * draws.of(place.wait, f"queue:{place.name}"), count


def _explain(place: Cluster, work: Work, use: Use, draws: Draws) -> Term:
    busy, waited, count = _hours(place, work, draws)
    result = cluster(place, work, use, draws)
    wait = stated(_("wait in the queue"), place.wait)
    charge = (stated(_("charge"), place.usd_per_hour),) if place.usd_per_hour else ()
    children = (
        drawn(_("hours computing"), busy, "h", "H + submissions * restart", (stated(_("hours"), work.hours),)),
        drawn(_("hours waiting"), waited, "h", "submissions * wait", (wait,)),
        drawn(_("submissions"), count, "1", "ceil(H / (wall time - restart))"),
        drawn(_("cost per job"), result.lines[0].per_job, "USD", "charge * H + value of waiting * hours", charge),
    )
    return drawn(place.name, result.over_horizon, "USD", "jobs * cost per job", children)
