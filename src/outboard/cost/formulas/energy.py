"""Electricity, busy and idle."""

from outboard.cost.arrays import Array, Num, array


def energy_kwh(busy_hours: Num, busy_watts: Num, idle_hours: Num = 0.0, idle_watts: Num = 0.0, pue: Num = 1.0) -> Array:
    """Return the energy drawn from the grid: PUE * (H_busy P_busy + H_idle P_idle) / 1000 [kWh].

    Idle hours are the hours switched on without work; a box that is never switched off has many.

    Parameters: hours [h]; watts at the wall [W]; ``pue`` power usage effectiveness, everything over the computers [1].
    Source: definition; PUE as in ISO/IEC 30134-2.

    >>> energy_kwh(20 * 52, 450, (168 - 20) * 52, 60).round(1)
    array([929.8])
    """
    return array(pue) * (array(busy_hours) * array(busy_watts) + array(idle_hours) * array(idle_watts)) / 1000.0


def energy_cost(
    price: Num, busy_hours: Num, busy_watts: Num, idle_hours: Num = 0.0, idle_watts: Num = 0.0, pue: Num = 1.0
) -> Array:
    """Return the electricity bill [money]; ``price`` is per kWh [money/kWh].

    A 10 kW node that is always on, at 0.19 per kWh, for a month:

    >>> energy_cost(0.19, 730, 10_000).round(2)
    array([1387.])
    """
    return array(price) * energy_kwh(busy_hours, busy_watts, idle_hours, idle_watts, pue)
