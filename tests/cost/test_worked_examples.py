"""Published own-versus-rent examples. They test arithmetic only: none of them reports what really happened.

The independent ones must reproduce; those that contradict their own inputs must not, and the right value is asserted.
"""

import math

import pytest

from outboard.cost import formulas as f
from outboard.cost.arrays import Num

MONTH_HOURS = 730.0
HOST_POWER = 17 * 10.2  # kW of the 17 nodes of gpu-tco


def one(value: Num) -> float:
    """Return the one number in ``value``."""
    return float(value if isinstance(value, float | int) else value[0])


def reproduces(computed: float, published: float) -> bool:
    """Return whether the two agree within 2 %, or at the precision that was printed."""
    decimals = len(str(published).partition(".")[2].rstrip("0"))
    return math.isclose(computed, published, rel_tol=0.02) or round(computed, decimals) == published


def lenovo(cloud: float) -> float:
    return one(f.break_even_hours(833_806, cloud, 0.87))


def redc_net(rate: float, use: float, insured: float) -> float:
    revenue = rate * 4 * MONTH_HOURS * use
    energy = one(f.energy_cost(0.1, 1.0, 816_700))  # 816.7 kWh in one line, so that the tariff is applied by us
    return revenue - energy - 4 * 600 / 12 - 0.03 * insured / 12 - 350


def per_token_ratio(node_month: float, tokens_month: float) -> float:
    return node_month / (tokens_month / 1e6) / 0.195


def accelerator_roi() -> tuple[float, float, float]:
    own_year, cloud_year = 728_680 / 4, 3_139_584 / 4
    utilisation = one(f.break_even_utilisation(1_920_000 + 728_680, 64, 4, 2.0))
    years = one(f.payback(1_920_000, cloud_year, own_year))
    value = one(f.npv(0.1, [-1_920_000.0] + [cloud_year - own_year] * 4))
    return utilisation, years, value


def gpu_tco() -> float:
    hardware = 17 * 340_000 + 1.6e6
    energy = one(f.energy_cost(0.13, 5 * 8760, HOST_POWER * 1000, pue=1.5))
    colocation = HOST_POWER * 200 * 60
    return hardware + energy + colocation + 0.1 * hardware * 5 + 4 * 45_000 * 5 + 1.0e6


INDEPENDENT = {
    "lenovo 8xH100, hours on demand": (lenovo(98.32), 8556),
    "lenovo 8xH100, months": (lenovo(98.32) / MONTH_HOURS, 11.9),
    "lenovo after the price cut, at an assumed 33/h": (lenovo(33), 25_942),
    "64 accelerators, utilisation": (accelerator_roi()[0], 0.59),
    "64 accelerators, payback in years": (accelerator_roi()[1], 3.2),
    "64 accelerators, net present value at 10 %": (accelerator_roi()[2], -9440),
    "redc 4xA100-80, revenue at 70 %": (0.65 * 4 * MONTH_HOURS * 0.7, 1328.6),
    "redc 4xA100-80, net at 70 %": (redc_net(0.65, 0.7, 74_000), 511.93),
    "redc 4xA100-40, net at 80 %": (redc_net(0.55, 0.8, 52_000), 523.13),
    "redc energy": (one(f.energy_cost(0.1, 1.0, 816_700)), 81.67),
    "8xH200 rented, over the API price": (per_token_ratio(20_440, 19.7e9), 5.31),
    "8xH200 rented for a year": (per_token_ratio(14_308, 19.7e9), 3.72),
    "8xH200 owned": (per_token_ratio(8_458, 19.7e9), 2.2),
    "8xB200 rented": (per_token_ratio(35_682, 78.8e9), 2.32),
    "8xB200 rented for a year": (per_token_ratio(26_747, 78.8e9), 1.74),
    "8xB200 owned": (per_token_ratio(11_009, 78.8e9), 0.72),
    "8xH100 guide, a year in the cloud": (one(f.rent_cost(8760, 8 * 3.5)), 245_000),
    "gpu-tco, 17 nodes of 8xH200 for five years": (gpu_tco(), 16.5e6),
    "box against an API, low bill, power forgotten": (one(f.payback(740, 2.5)) / 12, 25),
    "box against an API, high bill, power forgotten": (one(f.payback(740, 100)), 7),
    "47 h on gpuhub": (one(f.rent_cost(47, 0.36, credit=3)), 13.92),
    "47 h on runpod": (one(f.rent_cost(47, 0.69, 50, 0.10, 1, 5, 0.09, credit=2.5)), 35.38),
    "47 h on vast": (one(f.rent_cost(47, 0.35, 50, 0.05, 1, 15, 0.05)), 19.7),
    "Maya, 132 h rented": (one(f.rent_cost(132, 0.42)), 55.44),
    "alpine DGX, power a month": (one(f.energy_cost(0.19, MONTH_HOURS, 10_000)), 1370),
}


@pytest.mark.parametrize("name", INDEPENDENT)
def test_independent_examples_reproduce(name: str) -> None:
    computed, published = INDEPENDENT[name]
    assert reproduces(computed, published), f"{computed} against {published}"


def maya_own() -> float:
    return 1899 / 24 + one(f.energy_cost(0.13, 132, 450)) + 0.08 * 1899 / 12


def maya_payback() -> float:
    return one(f.payback(1899, 0.42 * 132, one(f.energy_cost(0.13, 132, 450)) + 0.08 * 1899 / 12))


def startup_payback() -> float:
    return one(f.payback(23_000, 4.0 * 600, one(f.energy_cost(0.1, 600, 700)) + 0.15 * 23_000 / 12))


def diffusion_own() -> float:
    return 650 / 24 + one(f.energy_cost(0.16, 240, 350)) + 0.06 * 650 / 12


def pseo_payback() -> float:
    own = 200 * 10.2 + one(f.energy_cost(0.09, MONTH_HOURS, 10_200, pue=1.3))
    return one(f.payback(325_000, 8 * 3.75 * MONTH_HOURS * 0.9, own))


# name: (what its own inputs give, what was published, the right value)
INCONSISTENT = {
    "8xH100 guide, crossover utilisation": (360_000 / 735_000, 0.60, 0.4898),
    "3090 box, power a month": (one(f.energy_cost(0.12, 8 * 30.4, 600)), 21, 17.5104),
    "Maya, months to break even": (maya_payback(), 22, 54.1674),
    "Maya, owning a month": (maya_own(), 46, 99.507),
    "startup, months to break even": (startup_payback(), 13, 11.1084),
    "diffusion box, owning a month": (diffusion_own(), 42, 43.7733),
    "used 3090, hours to break even": (one(f.break_even_hours(750, 0.4, 0.35 * 0.15)), 100, 2158.2734),
    "pseo 8xH100, months to break even": (pseo_payback(), 16, 19.3466),
}


@pytest.mark.parametrize("name", INCONSISTENT)
def test_inconsistent_examples_do_not_reproduce(name: str) -> None:
    computed, published, right = INCONSISTENT[name]
    assert not reproduces(computed, published)
    assert computed == pytest.approx(right, rel=1e-4)


# One input had to be chosen or solved for, so these show that the formula is the one meant, and no more.
CONDITIONAL = {
    "8xH100 guide, three years owned": (250_000 + 3 * 35_000.0, 360_000),
    "rented GEX44 against an own 3090 at 1.08 USD/EUR": (one(f.payback(1770, 184 * 1.08, 20)), 10),
    "DGX Spark against a device at 1.95/h": (one(f.break_even_hours(4699, 1.95, 0.14 * 0.15)) / MONTH_HOURS, 3.3),
}


@pytest.mark.parametrize("name", CONDITIONAL)
def test_conditional_examples_reproduce_with_the_input_chosen(name: str) -> None:
    computed, published = CONDITIONAL[name]
    assert reproduces(computed, published)


def test_derived_values_that_the_sources_do_not_print() -> None:
    hardware = 17 * 340_000 + 1.6e6
    own_month = (gpu_tco() - hardware) / 60
    assert one(f.payback(hardware, 17 * 110.24 * 1.075 * MONTH_HOURS, own_month)) == pytest.approx(5.5987, rel=1e-4)
    assert one(f.payback(430_000, 72_000, 1370)) == pytest.approx(6.0881, rel=1e-4)
    assert pytest.approx(0.1106, rel=1e-3) == 268 / 16_384 / (54 / 365)


def test_lenovo_at_the_price_that_the_cloud_really_asks() -> None:
    # The author assumes 33/h after the cut of June 2025; the list price is 55.04.
    assert lenovo(55.04) == pytest.approx(15_392, rel=1e-4)


def test_a_bill_smaller_than_the_power_never_pays_the_box_back() -> None:
    # "25 years" forgets 9 a month of power against a bill of 2.50.
    assert one(f.payback(740, 2.5, 9)) == math.inf
    assert one(f.payback(740, 100, 9)) == pytest.approx(8.13, abs=0.01)
