"""What one sample costs a core."""

from typing import Any

import pytest

from outboard.perf.facts import table
from outboard.perf.input.facts import ROOM, fact
from outboard.perf.input.load import Load, load
from outboard.types.job import Job
from tests.perf.time.conftest import make_trace


def of(**job: Any) -> Load:
    found = load(Job(**{"workload": "test:net", "input_kind": "jpeg", **job}), make_trace())
    assert found is not None
    return found


def test_nothing_is_fed_where_batches_are_ready_or_already_there() -> None:
    assert load(Job(workload="w"), make_trace()) is None
    assert load(Job(workload="w", input_kind="jpeg", input_copy="resident"), make_trace()) is None


def test_a_photograph_is_decoded_by_its_pixels_and_bytes() -> None:
    pixels = 50e3 * fact("stored.jpeg.pixels_per_byte").value
    per_pixel, per_byte = fact("decode.jpeg.pillow.pixel").value, fact("decode.jpeg.pillow.byte").value
    assert of(sample_bytes=50e3).decode == pytest.approx(pixels * per_pixel + 50e3 * per_byte)


def test_augmenting_more_costs_more_and_vectorised_operators_less() -> None:
    costs = [of(augment=how).augment for how in ("none", "crop", "colour", "heavy")]
    assert costs == sorted(costs)
    assert costs[0] == 0.0
    assert of(decoder="pillow-simd").augment == pytest.approx(costs[1] * fact("vector.pillow-simd").value)


def test_bytes_need_neither_normalising_nor_wide_batches_on_the_host() -> None:
    floats, bytes_ = of(input_type="model"), of(input_type="uint8")
    assert bytes_.tensor < floats.tensor
    assert bytes_.batched == pytest.approx(floats.batched / 4)


def test_a_device_that_decodes_spares_the_host() -> None:
    found = of(decoder="gpu", sample_bytes=110e3)
    assert found.batched == 110e3
    assert found.on_device > 0
    assert found.processor < of().processor / 10


def test_no_device_decodes_png() -> None:
    assert of(input_kind="png", decoder="gpu").decode == of(input_kind="png", decoder="torchvision").decode


@pytest.mark.parametrize("kind", ["jpeg", "png", "raw", "tokens", "tabular", "video", "audio"])
def test_every_kind_costs_something_and_says_how_sure_that_is(kind: str) -> None:
    found = of(input_kind=kind)
    assert 0 < found.low <= found.processor <= found.high
    assert found.stored > 0


def test_facts_have_sources_and_bands() -> None:
    for where, known in table(ROOM).items():
        assert known.low is not None and known.high is not None and known.low <= known.value <= known.high, where
        assert known.source.strip(), where


def test_sizes_stated_replace_usual_ones() -> None:
    assert of(sample_bytes=1e6).stored == 1e6
    assert of().stored == fact("stored.jpeg.bytes").value
