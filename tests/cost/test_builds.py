"""Ready-made builds: their parts, what is owned already, and the order of magnitude of what they cost."""

import pytest

from outboard.cost import builds
from outboard.cost.buy import buy
from outboard.cost.draws import Draws
from outboard.cost.money import household_tariff
from outboard.types.money import Purchase
from tests.cost.places import fact, use, work

SPAIN = household_tariff("ES")
DRAWS = Draws(count=512)


def spent(purchase: Purchase) -> float:
    return sum(part.price.value for part in purchase.parts if part.price is not None)


def test_an_egpu_with_and_without_what_is_owned() -> None:
    full = builds.egpu("rtx-3090", 350.0, SPAIN, psu_included=False)
    assert [part.name for part in full.parts] == ["rtx-3090", "enclosure", "psu", "cable"]
    card = builds.egpu("rtx-3090", 350.0, SPAIN, owned={"enclosure", "cable"})
    assert [part.name for part in card.parts] == ["rtx-3090"]
    assert 900 < spent(full) < 1200


def test_a_known_price_replaces_the_table() -> None:
    own = builds.egpu("rtx-3090", 350.0, SPAIN, prices={"enclosure": fact(150.0, "USD")})
    assert spent(own) == pytest.approx(spent(builds.egpu("rtx-3090", 350.0, SPAIN)) - 150.0)


def test_a_workstation_near_the_published_boxes() -> None:
    # Published: a box with one 3090 for 1,500 to 2,100, with two for 2,800 to 4,000.
    assert 1500 <= spent(builds.workstation("rtx-3090", 350.0, SPAIN)) <= 2100
    two = builds.workstation("rtx-3090", 350.0, SPAIN, devices=2)
    assert len({part.name for part in two.parts}) == 3
    assert 2300 <= spent(two) <= 4000
    assert two.busy_watts.value > 700


def test_two_cards_fail_twice_as_often_and_cost_as_much_each() -> None:
    costs = [builds.workstation("rtx-3090", 350.0, SPAIN, devices=number) for number in (1, 2)]
    failures = [
        next(child.value for child in buy(one, work(), use(), DRAWS).tree.children if child.name == "failures")
        for one in costs
    ]
    assert failures[0] is not None and failures[1] is not None
    assert failures[1] / failures[0] == pytest.approx(2.0)
    assert failures[0] == pytest.approx(2.0 * 0.06 * 693.0, rel=0.01)


@pytest.mark.parametrize("kind", ["8xh100", "8xh200", "8xb200"])
def test_a_server_is_always_on_and_pays_its_rack(kind: str) -> None:
    node = builds.server(kind, fact(0.13, "USD/kWh"))
    assert node.on_hours_week == 168 and node.monthly_fee is not None
    assert node.monthly_fee.value == pytest.approx(10.2 * 300)
    at_home = builds.server(kind, fact(0.13, "USD/kWh"), colocated=False)
    three_years = [buy(one, work(40.0), use(10, years=3), DRAWS).band_over_horizon for one in (node, at_home)]
    assert three_years[0] is not None and three_years[1] is not None
    assert three_years[0].p50 > three_years[1].p50 > 150_000


def test_a_card_that_nobody_prices_leaves_the_cost_unknown() -> None:
    cost = buy(builds.egpu("rtx-5080", 360.0, SPAIN), work(), use(), DRAWS)
    assert "rtx-5080" in cost.unknown
