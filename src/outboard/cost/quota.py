"""What a free or cheap tier costs: hours that come back every week, sessions that end, a person who reconnects."""

from functools import partial

import numpy as np

from outboard.cost.arrays import HOURS_PER_WEEK, MONTHS_PER_YEAR, Array
from outboard.cost.draws import Draws
from outboard.cost.formulas import quota_weeks, sessions
from outboard.cost.result import CostResult, Line, discounted_years
from outboard.cost.terms import drawn, stated
from outboard.i18n import _
from outboard.types.estimate import Term
from outboard.types.money import Quota, Use, Work


def quota(place: Quota, work: Work, use: Use, draws: Draws) -> CostResult:
    """Return the cost of a tier, mostly the person's time, and the hours until a job is done, mostly waiting."""
    busy, count = _busy(place, work, draws)
    upload = draws.of(place.upload_hours, "upload") if place.upload_hours else np.zeros(draws.count)
    elapsed = upload + _elapsed(busy, count, place, draws)
    rate = draws.of(place.usd_per_hour, f"rate:{place.name}") if place.usd_per_hour else np.zeros(draws.count)
    ends = np.isfinite(count)
    attention = use.time_value * place.reconnect_hours * np.where(ends, count, 0.0)
    waiting = use.waiting_value * np.where(ends, elapsed, 0.0)
    per_job = np.where(ends, attention + waiting + rate * np.where(ends, busy, 0.0), np.inf)
    months = discounted_years(use.horizon_years, use.discount_rate) * MONTHS_PER_YEAR
    line = Line(np.broadcast_to(months * place.usd_per_month, draws.count), per_job)
    return CostResult(
        place.name,
        "quota",
        use,
        (line,),
        elapsed,
        busy,
        partial(_explain, place, work, use, draws),
        capacity_week=float(np.median(_reach_week(place, draws))),
    )


def _busy(place: Quota, work: Work, draws: Draws) -> tuple[Array, Array]:
    """Return the hours of quota that one job uses, restarts included [h], and its sessions [1]."""
    hours = draws.of(work.hours, work.cause)
    count = sessions(hours, place.session_hours, place.restart_hours)
    return hours + count * place.restart_hours, count


def _reach_week(place: Quota, draws: Draws) -> Array:
    """Return the hours that can be used in a week [h/week]."""
    hours = draws.of(place.hours_week, f"quota:{place.name}") if place.hours_week else np.full(draws.count, np.inf)
    # Infinite sessions of infinite length are still a week of 168 hours.
    return np.minimum(np.minimum(hours, place.sessions_week * place.session_hours), HOURS_PER_WEEK)


def _elapsed(busy: Array, count: Array, place: Quota, draws: Draws) -> Array:
    """Return the hours on the clock: whole weeks while the quota refills, then what remains of the job [h].

    The job starts with the week's quota untouched. Never less than the hours of work themselves.
    """
    reach = _reach_week(place, draws)
    finite = np.where(np.isfinite(busy), busy, 0.0)
    weeks = quota_weeks(finite, reach)
    whole = np.maximum(np.ceil(weeks - 1e-9) - 1.0, 0.0)
    return np.where(np.isfinite(count), whole * HOURS_PER_WEEK + (finite - whole * reach), np.inf)


def _explain(place: Quota, work: Work, use: Use, draws: Draws) -> Term:
    busy, count = _busy(place, work, draws)
    result = quota(place, work, use, draws)
    limit = stated(_("hours a week"), place.hours_week, _("no weekly limit is stated"))
    children = (
        drawn(
            _("hours of quota per job"), busy, "h", "H + sessions * restart", (stated(_("hours"), work.hours), limit)
        ),
        drawn(_("sessions per job"), count, "1", "ceil(H / (limit - restart))"),
        drawn(_("hours until done"), result.hours, "h", "whole weeks * 168 + what remains", (limit,)),
        drawn(_("cost per job"), result.lines[0].per_job, "USD", "sessions * reconnecting * own hour + rate * H"),
    )
    return drawn(place.name, result.over_horizon, "USD", "jobs * cost per job + months * fee", children)
