"""Draws: reproducible, shared by cause, exact in the middle, wider where less is known."""

import numpy as np
import pytest

from outboard.cost import market
from outboard.cost.arrays import Band, band
from outboard.cost.draws import COUNT, Draws, Probe, Recorder
from outboard.types.evidence import Evidence, Fact


def priced(evidence: Evidence, low: float = 80.0, high: float = 130.0) -> Fact:
    return Fact(100.0, "USD", "test", evidence, low=low, high=high)


def test_the_same_cause_is_the_same_draw_in_any_order() -> None:
    first, second = Draws(), Draws()
    second.normal("rents")
    assert np.array_equal(first.normal("electricity"), second.normal("electricity"))
    assert not np.array_equal(first.normal("electricity"), Draws(seed=1).normal("electricity"))
    assert abs(np.corrcoef(first.normal("electricity"), first.normal("rents"))[0, 1]) < 0.05


def test_there_are_4096_of_them_and_nobody_can_change_them() -> None:
    drawn = Draws().normal("electricity")
    assert drawn.size == COUNT == 4096
    with pytest.raises(ValueError, match="read-only"):
        drawn[0] = 0.0


def test_low_and_high_are_quantiles_by_evidence() -> None:
    drawn = Draws().of(priced(Evidence.DATASHEET), "one")
    assert np.quantile(drawn, [0.1, 0.5, 0.9]) == pytest.approx([80.0, 100.0, 130.0], rel=1e-3)


def test_doubtful_facts_are_wider() -> None:
    widths = [np.ptp(np.quantile(Draws().of(priced(one), "one"), [0.1, 0.9])) for one in sorted(Evidence)]
    assert widths == sorted(widths)
    assert widths[-1] > 1.3 * widths[2]


def test_a_range_that_starts_at_zero_stays_positive() -> None:
    drawn = Draws().of(Fact(0.15, "1", "test", Evidence.ASSUMED, low=0.0, high=0.35), "cooling")
    assert drawn.min() == 0.0
    assert np.median(drawn) == pytest.approx(0.15, rel=1e-2)


def test_a_scarce_market_keeps_cards_dear_and_rents_rising() -> None:
    draws = Draws()
    held = -market.decay(draws, "consumer")
    assert np.corrcoef(held, market.rent_growth(draws))[0, 1] > 0.4
    assert np.corrcoef(-market.decay(draws, "datacentre"), market.rent_growth(draws))[0, 1] > 0.4


def test_the_regimes_have_their_weights_and_centres() -> None:
    draws = Draws()
    regime, decay = market.regime(draws), market.decay(draws, "consumer")
    shares = [float(np.mean(regime == number)) for number in range(3)]
    assert shares == pytest.approx([0.15, 0.60, 0.25], abs=0.001)
    centres = [float(np.median(decay[regime == number])) for number in range(3)]
    assert centres == pytest.approx([0.6, 0.25, 0.0], abs=0.03)


def test_rents_rose_in_2026_and_the_drift_knows() -> None:
    growth = market.rent_growth(Draws())
    assert float(np.mean(growth)) > 0
    assert float(np.mean(growth < 0)) > 0.2


def test_a_new_generation_cuts_data_centre_cards_only() -> None:
    draws = Draws()
    assert np.all(market.lump(draws, "consumer", 5.0) == 1.0)
    late, soon = market.lump(draws, "datacentre", 5.0), market.lump(draws, "datacentre", 0.5)
    assert late.min() >= 0.6 and late.max() <= 0.8
    assert soon.mean() > late.mean()


def test_the_recorder_notes_causes_and_the_probe_moves_one_at_a_time() -> None:
    recorder = Recorder()
    recorder.of(priced(Evidence.DATASHEET), "a"), recorder.normal("b")
    assert tuple(recorder.causes) == ("a", "b")
    moved = Probe(("a", "b")).of(priced(Evidence.DATASHEET), "b")
    assert moved == pytest.approx([100.0, 100.0, 80.0, 130.0])


def test_bands_of_draws_that_never_end() -> None:
    assert band(np.full(8, np.inf)) == Band(np.inf, np.inf, np.inf)
    assert band(np.array([1.0])) == Band(1.0, 1.0, 1.0)
