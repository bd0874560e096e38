"""Free hours that run out every week, sessions that end, and queues."""

import numpy as np

from outboard.cost.arrays import Array, Num, array


def sessions(hours: Num, session_limit: Num, restart: Num = 0.0) -> Array:
    """Return how many sessions ``hours`` of work take when each begins with ``restart`` lost hours [1].

    The first session also starts up. A limit that the restart alone fills can never finish: infinite.

    >>> sessions(30.0, 12.0, 0.25), sessions(3.0, 12.0, 0.25), sessions(1.0, 0.2, 0.25)
    (array([3.]), array([1.]), array([inf]))
    """
    useful = array(session_limit) - array(restart)
    safe = np.where(useful > 0, useful, 1.0)
    # The tolerance keeps 24.000000001 h in two sessions of 12 h.
    count = np.maximum(np.ceil(array(hours) / safe - 1e-9), 1.0)
    return np.where(useful > 0, count, np.inf)


def quota_weeks(hours: Num, quota: Num, sessions_week: Num = np.inf, session_limit: Num = np.inf) -> Array:
    """Return the weeks that a free tier needs: H / min(quota, sessions * limit) [week].

    Parameters: ``hours`` GPU hours needed, restarts included [h]; ``quota`` [h/week]; ``sessions_week`` how many
    sessions the person starts [1/week]; ``session_limit`` [h].

    >>> quota_weeks(90.0, 30.0), quota_weeks(90.0, 30.0, 1.0, 12.0)
    (array([3.]), array([7.5]))
    """
    reach = array(sessions_week) * array(session_limit)
    return array(hours) / np.minimum(array(quota), reach)


def queue_cost(time_value: Num, wait: Num) -> Array:
    """Return what waiting costs the person: value of an hour times hours waited [money].

    ``wait`` is a distribution, never a point: pass the draws. ``time_value`` [money/h]; ``wait`` [h].

    >>> queue_cost(2.0, np.array([1.0, 5.0, 24.0]))
    array([ 2., 10., 48.])
    """
    return array(time_value) * array(wait)
