"""Filters for browsing."""

import pytest

from outboard.catalog import device, devices, select
from outboard.catalog.selection import ORDER, fp16_rate
from outboard.errors import UnitError, UnknownNameError


def test_without_filters_everything_by_name() -> None:
    assert select() == list(devices())


def test_filters() -> None:
    found = select(min_vram="24 GB", kind="GeForce", precision="bf16")
    assert {known.id for known in found} == {"rtx-3090", "rtx-3090-ti", "rtx-4090", "rtx-5090"}
    assert all(known.vendor == "amd" for known in select(vendor="AMD"))
    assert all(known.length is not None and known.length.value <= 0.2 for known in select(max_length="200 mm"))
    assert select([device("p4")], min_vram=10e9) == []


@pytest.mark.parametrize("order", ORDER)
def test_every_order_holds_every_device(order: str) -> None:
    assert len(select(sort=order)) == len(devices())


def test_numbers_descend_and_the_unknown_comes_last() -> None:
    rates = [fp16_rate(known) for known in select(sort="fp16")]
    assert rates == sorted(rates, reverse=True)
    assert select(sort="price")[-1].launch_price is None


def test_wrong_words() -> None:
    with pytest.raises(UnknownNameError, match="bandwidth"):
        select(sort="bandwith")
    with pytest.raises(UnitError):
        select(min_vram="24 GB/s")
