"""What a bought machine loses: market value, and the failures that nobody plans."""

import numpy as np

from outboard.cost.arrays import HOURS_PER_WEEK, Array, Num, array


def resale_value(
    reference: Num, years: Num, decay: Num, noise: Num = 0.0, fee: Num = 0.0, shipping: Num = 0.0
) -> Array:
    """Return what selling brings: P_ref exp(-k t) exp(eps) (1 - fee) - shipping, never below zero [money].

    Nobody pays to sell a card: it then stays in the drawer.

    Parameters: ``reference`` market value at time zero [money]; ``decay`` k, negative when prices rise [1/year];
    ``noise`` eps, logarithmic deviation of this card [1]; ``fee`` of the market place [1]; ``shipping`` [money].
    Source: fit to sold prices, see data/depreciation.toml.

    >>> resale_value(700.0, 2.0, 0.25, fee=0.13, shipping=20.0).round(1), resale_value(30.0, 5.0, 0.6, shipping=20.0)
    (array([349.4]), array([0.]))
    """
    sold = array(reference) * np.exp(-array(decay) * array(years) + array(noise))
    return np.maximum(sold * (1.0 - array(fee)) - array(shipping), 0.0)


def failure_cost(
    per_year: Num, replacement: Num, warranty: Num, days_down: Num = 0.0, rent_rate: Num = 0.0, hours_week: Num = 0.0
) -> Array:
    """Return the expected yearly cost of failures [money/year].

    lambda * (P_replace (1 - warranty) + days_down * 24 * rent_rate * u / 168): the part that the warranty does not pay,
    and renting a machine for the hours that would have been used while the own one is away.

    Parameters: ``per_year`` failures [1/year]; ``replacement`` [money]; ``warranty`` share paid by it [1];
    ``days_down`` [day]; ``rent_rate`` [money/h]; ``hours_week`` used hours u [h/week].

    >>> failure_cost(0.06, 700.0, 0.0, days_down=10.0, rent_rate=0.4, hours_week=42.0).round(2)
    array([43.44])
    """
    down = array(days_down) * 24.0 * array(rent_rate) * array(hours_week) / HOURS_PER_WEEK
    return array(per_year) * (array(replacement) * (1.0 - array(warranty)) + down)
