"""Money at different dates."""

from collections.abc import Sequence

import numpy as np

from outboard.cost.arrays import Array, Num, array


def annuity(rate: Num, years: Num) -> Array:
    """Return the equal yearly payment that one unit paid now is worth: the capital recovery factor [1/year].

    r / (1 - (1 + r)^-T), with the two limits written out: 1/T at zero rate, r for something that lasts for ever.

    Parameters: ``rate`` real discount rate [1/year]; ``years`` life, may be infinite [year].
    Source: any engineering-economics text, e.g. Park, *Contemporary Engineering Economics*, "capital recovery".

    >>> annuity(0.07, 20).round(6), annuity(0.0, 4), annuity(0.05, float("inf")), annuity(0.0, float("inf"))
    (array([0.094393]), array([0.25]), array([0.05]), array([0.]))
    """
    r, t = np.broadcast_arrays(array(rate), array(years))
    if np.any(t <= 0):
        raise ValueError("a life must be longer than zero years")
    safe_rate = np.where(r == 0, 1.0, r)
    with_interest = safe_rate / -np.expm1(-t * np.log1p(safe_rate))
    return np.where(r == 0, 1.0 / t, with_interest)


def present_value(amount: Num, rate: Num, years: Num) -> Array:
    """Return what ``amount`` paid after ``years`` is worth now [money]: A / (1 + r)^t.

    >>> present_value(121.0, 0.1, 2.0)
    array([100.])
    """
    return array(amount) / (1.0 + array(rate)) ** array(years)


def npv(rate: Num, flows: Sequence[Num]) -> Array:
    """Return the net present value of yearly ``flows``, the first one now [money].

    >>> npv(0.10, [-1_920_000] + [602_726] * 4).round()
    array([-9440.])
    """
    total = array(0.0)
    for year, flow in enumerate(flows):
        total = total + present_value(flow, rate, float(year))
    return total


def staged_cost(prices: Sequence[Num], years: Sequence[Num], rate: Num = 0.0) -> Array:
    """Return the present value of purchases made in stages: sum of P_s / (1 + r)^t_s [money].

    An enclosure and a card now, a better card in a year:

    >>> staged_cost([300.0, 250.0, 700.0], [0.0, 0.0, 1.0], 0.05).round(2), staged_cost([550.0, 700.0], [0.0, 1.0])
    (array([1216.67]), array([1250.]))
    """
    if len(prices) != len(years):
        raise ValueError("as many dates as prices")
    total = array(0.0)
    for price, year in zip(prices, years, strict=True):
        total = total + present_value(price, rate, year)
    return total


def growing_years(
    years: float, rate: float = 0.0, growth: Num = 0.0, start: float = 0.0, growth_ends: float = np.inf
) -> Array:
    """Return the present value of a flow of one unit a year that grows: the "years" to multiply a yearly cost with.

    Integral over the horizon of exp(growth * (start + t)) / (1 + rate)^t. With neither growth nor discounting it is
    simply ``years``. Payments are spread over the year, as bills are, instead of falling due on its last day.

    Parameters: ``years`` horizon [year]; ``rate`` discount rate [1/year]; ``growth`` logarithmic growth of the price
    [1/year]; ``start`` age of the price when the horizon begins [year]; ``growth_ends`` years after which the price
    stays where it is, because nothing is known about a longer trend [year].

    >>> growing_years(3.0), growing_years(3.0, 0.05).round(4), growing_years(2.0, 0.0, 0.1).round(4)
    (array([3.]), array([2.7908]), array([2.214]))
    >>> growing_years(4.0, 0.0, 0.1, growth_ends=2.0).round(4)
    array([4.6568])
    """
    moving = min(years, growth_ends)
    total = _exponential_integral(array(growth) - np.log1p(rate), moving)
    if years > moving:
        level = np.exp(array(growth) * moving) / (1.0 + rate) ** moving
        total = total + level * _exponential_integral(array(-np.log1p(rate)), years - moving)
    return total * np.exp(array(growth) * start)


def _exponential_integral(slope: Array, length: float) -> Array:
    flat = np.abs(slope) < 1e-12
    safe = np.where(flat, 1.0, slope)
    return np.where(flat, length, np.expm1(safe * length) / safe)
