"""Jobs stated in hours scale with the rate that binds them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outboard import catalog
from outboard.errors import UsageError
from outboard.planner.hours import BOUNDS, rate_of, read_hours, speedup
from outboard.planner.work import forecast
from outboard.types.plan import Reason
from tests.planner.made import job

PLACES = [catalog.place(device.id) for device in catalog.devices() if device.form == "card"]


def test_the_stated_device_takes_the_stated_hours() -> None:
    found = forecast(job(), [catalog.place("rtx-3090")])[0]
    assert found.hours is not None and found.hours.value == 10.0 and found.hours.low is None


@pytest.mark.parametrize("bound", BOUNDS)
def test_hours_scale_with_the_rate(bound: str) -> None:
    stated = read_hours(f"hours:10 h on an RTX 3090, bound by {bound}")
    here, there = (rate_of(catalog.device(name), bound) for name in ("rtx-4090", "rtx-3090"))
    assert here is not None and there is not None
    assert speedup(stated, catalog.place("rtx-4090")) == pytest.approx(here.value / there.value)


def test_fp64_makes_a_data_centre_card_fast() -> None:
    stated = read_hours("hours:10 h on an RTX 3090, bound by fp64")
    a100 = speedup(stated, catalog.place("a100-pcie-80gb"))
    assert a100 is not None and 15 < a100 < 20  # 9.7 against 0.556 TFLOP/s


@given(hours=st.floats(0.1, 1e4), bound=st.sampled_from(BOUNDS), pair=st.permutations(range(len(PLACES))))
def test_a_faster_place_never_takes_longer(hours: float, bound: str, pair: list[int]) -> None:
    asked = job(f"hours:{hours:.3f} h on an RTX 3090, bound by {bound}")
    one, other = (PLACES[i] for i in pair[:2])
    rates = [rate_of(place.device, bound) for place in (one, other)]
    taken = [found.hours for found in forecast(asked, [one, other])]
    if None not in rates and None not in taken:
        assert (rates[0].value >= rates[1].value) == (taken[0].value <= taken[1].value)  # type: ignore[union-attr]


def test_stated_memory_is_that_of_all_devices() -> None:
    asked = job(memory="40 GB")
    one, two = forecast(asked, [catalog.place("rtx-3090"), catalog.place("rtx-3090x2")])
    assert isinstance(one.problem, Reason) and one.problem.kind == "memory"
    assert two.problem is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hours:10 on an RTX 3090, bound by fp32", "'10' is no time"),
        ("hours:0 h on an RTX 3090, bound by fp32", "'0 h' is no time"),
        ("hours:10 h on an RTX 3091, bound by fp32", "unknown device"),
        ("hours:10 h on an RTX 3090, bound by faith", "'faith' is no bound"),
        ("hours:10 h", "does not say time, device and bound"),
    ],
)
def test_hours_that_say_nothing_are_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        job(text)
    assert str(raised.value).startswith("job.yaml: workload: ")
