"""The economic formulas: plain functions of plain numbers or arrays, callable one at a time.

Units stand in brackets at the end of each parameter. Money is real money of one date, in any one currency.
"""

from outboard.cost.formulas.discount import annuity, growing_years, npv, present_value, staged_cost
from outboard.cost.formulas.energy import energy_cost, energy_kwh
from outboard.cost.formulas.own import failure_cost, resale_value
from outboard.cost.formulas.quota import queue_cost, quota_weeks, sessions
from outboard.cost.formulas.rent import (
    billed_hours,
    commitment_pays,
    finish_on_demand,
    rent_cost,
    spot_cost,
    spot_hours,
    spot_hours_first_order,
)
from outboard.cost.formulas.turning import (
    break_even_hours,
    break_even_hours_week,
    break_even_utilisation,
    payback,
    waiting_price,
)

__all__ = [
    "annuity",
    "billed_hours",
    "break_even_hours",
    "break_even_hours_week",
    "break_even_utilisation",
    "commitment_pays",
    "energy_cost",
    "energy_kwh",
    "failure_cost",
    "finish_on_demand",
    "growing_years",
    "npv",
    "payback",
    "present_value",
    "queue_cost",
    "quota_weeks",
    "rent_cost",
    "resale_value",
    "sessions",
    "spot_cost",
    "spot_hours",
    "spot_hours_first_order",
    "staged_cost",
    "waiting_price",
]
