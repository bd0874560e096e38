"""Rented hours: what is billed, what preemption adds, when a commitment pays."""

import numpy as np

from outboard.cost.arrays import HOURS_PER_MONTH, Array, Num, array


def rent_cost(
    hours: Num,
    rate: Num,
    storage_gb: Num = 0.0,
    storage_price: Num = 0.0,
    months: Num = 0.0,
    egress_gb: Num = 0.0,
    egress_price: Num = 0.0,
    credit: Num = 0.0,
) -> Array:
    """Return what renting costs: h * rate + GB * s * months + egress GB * e - credits, never below zero [money].

    The disk is billed for every month it exists, machine stopped or not.

    Parameters: ``hours`` billed [h]; ``rate`` of the whole instance [money/h]; ``storage_price`` [money/GB/month];
    ``egress_price`` [money/GB]; ``credit`` one-off [money].

    >>> rent_cost(47, 0.69, 50, 0.10, 1, 5, 0.09, credit=2.5).round(2)
    array([35.38])
    """
    disk = array(storage_gb) * array(storage_price) * array(months)
    owed = array(hours) * array(rate) + disk + array(egress_gb) * array(egress_price) - array(credit)
    return np.maximum(owed, 0.0)


def billed_hours(hours: Num, minimum: float = 0.0, increment: float = 0.0) -> Array:
    """Return the hours on the bill: rounded up to ``increment``, at least ``minimum`` [h].

    >>> billed_hours(2.2, increment=1.0), billed_hours(0.1, minimum=0.5), billed_hours(2.2)
    (array([3.]), array([0.5]), array([2.2]))
    """
    used = array(hours)
    rounded = np.ceil(used / increment - 1e-9) * increment if increment > 0 else used
    return np.maximum(rounded, np.where(used > 0, minimum, 0.0))


def spot_hours_first_order(work: Num, between_losses: Num, restart: Num, checkpoint: Num) -> Array:
    """Return W + W/MTBP * (restart + checkpoint/2): hours on spot machines when losses are rare [h].

    Parameters: ``work`` undisturbed hours W [h]; ``between_losses`` mean time between preemptions [h]; ``restart`` to
    get going again [h]; ``checkpoint`` interval, half of which is lost on average [h].

    >>> spot_hours_first_order(47.0, 5.9, 0.15, 0.5).round(2)
    array([50.19])
    """
    lost = array(restart) + array(checkpoint) / 2.0
    return array(work) * (1.0 + lost / array(between_losses))


def spot_hours(work: Num, between_losses: Num, restart: Num, checkpoint: Num) -> Array:
    """Return the hours on spot machines when the repeated hours can be lost too: W / (1 - lost/MTBP) [h].

    Its first order is :func:`spot_hours_first_order`. When a preemption costs as much as the mean time between two of
    them, the job never ends, and this says so where the first order promises twice the work.

    >>> spot_hours(47.0, 5.9, 0.15, 0.5).round(2), spot_hours(47.0, 0.4, 0.15, 0.5)
    (array([50.42]), array([inf]))
    """
    share = (array(restart) + array(checkpoint) / 2.0) / array(between_losses)
    safe = np.where(share < 1.0, share, 0.0)
    return np.where(share < 1.0, array(work) / (1.0 - safe), np.inf)


def finish_on_demand(work: Num, on_spot: Num, deadline: float) -> tuple[Array, Array]:
    """Return the hours on spot machines and then on demand that finish ``work`` at the deadline [h].

    All on spot where that is in time; else spot as long as the rest, undisturbed, still fits: t W/S + (D - t) = W. A
    deadline shorter than the work itself is missed by running on demand from the start.

    Parameters: ``work`` undisturbed hours W [h]; ``on_spot`` hours S on spot alone [h]; ``deadline`` D [h].

    >>> finish_on_demand(np.array([10.0, 10.0, 10.0]), np.array([11.0, 20.0, np.inf]), 15.0)
    (array([11., 10.,  5.]), array([ 0.,  5., 10.]))
    """
    undisturbed, spot = array(work), array(on_spot)
    late = spot > deadline
    lost = 1.0 - undisturbed / np.where(late, spot, np.inf)  # share of a spot hour that is repeated work
    slack = np.maximum(deadline - undisturbed, 0.0) / np.where(lost > 0, lost, 1.0)
    first = np.where(late, slack, spot)
    rest = np.where(late, np.maximum(deadline, undisturbed) - slack, 0.0)
    return first, rest


def spot_cost(rate: Num, work: Num, between_losses: Num, restart: Num, checkpoint: Num, waiting: Num = 0.0) -> Array:
    """Return the expected cost on spot machines: rate * hours + what waiting for capacity costs [money].

    >>> spot_cost(0.30, 47.0, 5.9, 0.15, 0.5).round(2)
    array([15.13])
    """
    return array(rate) * spot_hours(work, between_losses, restart, checkpoint) + array(waiting)


def commitment_pays(hours_month: Num, ratio: Num) -> Array:
    """Return 1 where a commitment beats on demand, else 0: hours per month > 730 * ratio.

    A reservation is paid for all 730 hours. ``ratio`` is its price over the on-demand price [1].

    >>> commitment_pays(np.array([400.0, 500.0]), 0.65), commitment_pays(400.0, 0.43)
    (array([0., 1.]), array([1.]))
    """
    return (array(hours_month) > HOURS_PER_MONTH * array(ratio)).astype(np.float64)
