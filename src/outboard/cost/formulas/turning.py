"""Where one choice turns into another: break-even, payback, the price of waiting. "Never" is infinity."""

import numpy as np

from outboard.cost.arrays import HOURS_PER_YEAR, WEEKS_PER_YEAR, Array, Num, array


def _ratio_or_never(numerator: Array, saving: Array) -> Array:
    """Return numerator / saving, infinity where nothing is saved, zero where nothing has to be earned back."""
    safe = np.where(saving > 0, saving, 1.0)
    return np.where(saving > 0, np.maximum(numerator, 0.0) / safe, np.inf)


def break_even_hours_week(fixed_year: Num, rent_rate: Num, own_rate: Num) -> Array:
    """Return the hours a week above which owning is cheaper: F / (52 (rate_eq - own marginal)) [h/week].

    Infinity, that is never, where an own hour costs as much as a rented one: no amount of use earns the rest back.

    Parameters: ``fixed_year`` annualised fixed cost of owning F = CRF (P - R/(1+r)^T) + administration + maintenance +
    idle energy [money/year]; ``rent_rate`` cloud price times own throughput over cloud throughput [money/own hour];
    ``own_rate`` what one more own hour costs [money/h].

    >>> break_even_hours_week(300.0, 0.40, 0.10).round(2), break_even_hours_week(300.0, 0.10, 0.12)
    (array([19.23]), array([inf]))
    """
    return _ratio_or_never(array(fixed_year), (array(rent_rate) - array(own_rate)) * WEEKS_PER_YEAR)


def break_even_hours(capital: Num, rent_rate: Num, own_rate: Num = 0.0) -> Array:
    """Return the hours of use after which a purchase has paid for itself: P / (rent - own) [h].

    >>> break_even_hours(833_806, 98.32, 0.87).round()
    array([8556.])
    """
    return _ratio_or_never(array(capital), array(rent_rate) - array(own_rate))


def break_even_utilisation(owned_total: Num, devices: Num, years: Num, rate: Num) -> Array:
    """Return the share of all hours above which owning is cheaper: C_own / (n * 8760 * T * rate) [1].

    Right when the cost of owning does not depend on use. Above 1 it means never.

    Parameters: ``owned_total`` over the horizon [money]; ``devices`` n [1]; ``years`` T [year]; ``rate`` per device
    hour [money/h].

    >>> break_even_utilisation(2_648_680, 64, 4, 2.0).round(4)
    array([0.5905])
    """
    return array(owned_total) / (array(devices) * HOURS_PER_YEAR * array(years) * array(rate))


def payback(capital: Num, rent_period: Num, own_period: Num = 0.0) -> Array:
    """Return the periods until the purchase has paid for itself: capital / (rent - own per period), no discounting.

    Months if the flows are monthly, years if yearly; infinity where owning saves nothing.

    >>> payback(740, 2.50).round(1), payback(740, 2.50, 9.0)
    (array([296.]), array([inf]))
    """
    return _ratio_or_never(array(capital), array(rent_period) - array(own_period))


def waiting_price(buy_now: Num, wait_then_buy: Num, keep_renting: Num, regime: Array) -> Array:
    """Return what renting first and deciding later costs over buying now, draw by draw [money].

    Later one knows which way the market went, but not everything: in each ``regime`` the choice with the lower mean is
    taken for all its draws. Positive: waiting costs. Negative: waiting pays.

    Parameters: total cost over the same horizon [money]; ``regime`` label of each draw.
    Source: real-option value of a deferred decision, Dixit and Pindyck, *Investment under Uncertainty* (1994), ch. 2.

    >>> waiting_price(100.0, np.array([90.0, 120.0]), np.array([110.0, 80.0]), np.array([0.0, 1.0]))
    array([-10., -20.])
    """
    later, rent, label = np.broadcast_arrays(array(wait_then_buy), array(keep_renting), regime)
    chosen = np.array(later)
    for one in np.unique(label):
        here = label == one
        if rent[here].mean() < later[here].mean():
            chosen[here] = rent[here]
    return chosen - array(buy_now)
