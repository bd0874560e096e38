"""The snapshot of offers, and the price errors that really happened."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from outboard.cost import bands, drift, offers
from outboard.cost.draws import Draws
from outboard.cost.facts import DATA
from outboard.cost.rent import rent
from outboard.errors import FileError
from outboard.types.evidence import Evidence
from outboard.types.money import Offer
from tests.cost.places import use, work

SNAPSHOT = offers.load()
HEADER = (DATA / "offers.csv").read_text(encoding="utf-8").splitlines()[0]


def offer(device: str, total: float | None, count: int = 1, each: float | None = None, **more: object) -> Offer:
    sample = next(one for one in SNAPSHOT.offers if one.market == "cloud")
    if each is None and total is not None:
        each = total / count
    changed = replace(sample, device=device, gpu_count=count, usd_per_hour=total, usd_per_gpu_hour=each, provider="new")
    return replace(changed, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("device", "total", "true", "count", "market"),
    [
        ("b200-sxm", 0.01, 3.45, 1, "cloud"),  # SkyPilot PR 9156
        ("h100-sxm5-80gb", 8.00, 28.66, 8, "cloud"),  # SkyPilot PR 9156
        ("a100-sxm4-80gb", 0.08, 13.99, 8, "cloud"),  # SkyPilot PR 9156
        ("a100-sxm4-40gb", 0.94, 4.05, 1, "hyperscaler"),  # skypilot-catalog 31: the host without its GPU
    ],
)
def test_prices_that_were_published_by_mistake_are_refused(
    device: str, total: float, true: float, count: int, market: str
) -> None:
    wrong = offers.check([offer(device, total, count, market=market), offer(device, true, count, market=market)])
    assert [one.usd_per_hour for one in wrong.offers] == [true]
    assert "is outside" in wrong.refused[0].refusal
    assert wrong.refused[0].device in wrong.refused[0].refusal


def test_the_cheapest_shape_that_fits() -> None:
    # SkyPilot PR 10533: one RTX PRO 6000 as g4-standard-48 or as g4-standard-6.
    large = offer("rtx-pro-6000-blackwell", 4.49993, instance="g4-standard-48", vcpus=48.0, ram_gb=180.0)
    small = offer("rtx-pro-6000-blackwell", 1.51825, instance="g4-standard-6", vcpus=6.0, ram_gb=22.0)
    assert offers.select([large, small], "rtx-pro-6000-blackwell")[0] is small
    assert offers.select([large, small], "rtx-pro-6000-blackwell", ram_gb=64.0) == [large]


def test_a_missing_price_is_unknown_and_comes_last() -> None:
    # infracost 2797: an L4 skipped silently, as if it cost nothing.
    unknown, known = offer("l4", None), offer("l4", 0.7)
    assert offers.check([unknown]).offers[0].usd_per_hour is None
    assert offers.select([unknown, known], "l4") == [known, unknown]
    assert offers.select([unknown, known], "l4", max_usd_per_hour=1.0) == [known]
    assert offers.rate_of(unknown) is None
    cost = rent(offers.as_rent(unknown, date(2026, 12, 1)), work(), use(), Draws(count=64))
    assert cost.unknown and cost.band_per_job is None and cost.tree.value is None


def test_per_device_and_per_instance_are_never_confused() -> None:
    confused = offer("h100-sxm5-80gb", 3.99, count=8, each=3.99)
    assert "is not 8 times" in offers.refusal(confused)
    assert offers.refusal(offer("h100-sxm5-80gb", 31.92, count=8, each=3.99)) == ""
    for one in SNAPSHOT.offers:
        if one.usd_per_hour is not None and one.usd_per_gpu_hour is not None:
            assert one.usd_per_hour == pytest.approx(one.usd_per_gpu_hour * one.gpu_count, rel=0.01)


def test_spot_dearer_than_on_demand_is_an_alarm_and_not_a_lie() -> None:
    alarmed = {(one.provider, one.device) for one in SNAPSHOT.offers if one.alarm}
    assert alarmed == {("runpod", "rtx-4090"), ("runpod", "a100-sxm4-80gb"), ("runpod", "h100-sxm5-80gb")}
    spot = offers.select(SNAPSHOT.offers, "rtx-4090", kind="spot")
    assert spot[-1].alarm


def test_a_fraction_of_a_card_is_not_a_card() -> None:
    fractions = [one for one in SNAPSHOT.refused if one.gpu_share < 1]
    assert {one.instance for one in fractions} == {"NV6ads_A10_v5"}


def test_negative_prices_are_refused() -> None:
    assert "negative" in offers.refusal(offer("l4", -0.7))


def test_a_device_without_a_band_is_not_judged() -> None:
    assert bands.band_of(offer("no-such-card", 0.001)) is None
    assert offers.refusal(offer("no-such-card", 0.001)) == ""


def test_every_row_has_its_source_date_and_licence() -> None:
    for one in (*SNAPSHOT.offers, *SNAPSHOT.refused):
        assert one.source and one.licence and one.date.startswith("2026")
    assert len(SNAPSHOT.refused) < 0.03 * len(SNAPSHOT.offers)


def test_the_age_is_said() -> None:
    assert "86 days" in offers.age_line(SNAPSHOT, date(2026, 12, 1))
    dated = next(one for one in SNAPSHOT.offers if one.date == "2026-05-24")
    assert offers.age_years(dated, date(2026, 12, 1)) == pytest.approx(191 / 365)
    assert 0 < offers.age_years(replace(dated, date="2026"), date(2026, 12, 1)) < 1
    assert offers.as_rent(dated, date(2026, 12, 1)).price_age_years == pytest.approx(191 / 365)


def test_the_cheapest_live_listing_is_the_low_end() -> None:
    floor = next(one for one in SNAPSHOT.offers if one.cheapest_live and one.device == "rtx-3090")
    rate = offers.rate_of(floor)
    assert rate is not None and rate.low is not None and floor.usd_per_hour is not None
    assert floor.usd_per_hour < rate.low < rate.value


def test_cores_and_memory_billed_beside_the_gpu_are_added() -> None:
    bare = next(one for one in SNAPSHOT.offers if one.provider == "coreweave" and one.usd_per_vcpu_hour)
    rate = offers.rate_of(bare, vcpus=8.0, ram_gb=32.0)
    assert rate is not None and bare.usd_per_hour is not None
    assert rate.value == pytest.approx(bare.usd_per_hour + 8 * 0.01 + 32 * 0.005)
    silent = next(one for one in SNAPSHOT.offers if one.provider == "modal")
    guessed = offers.rate_of(silent)
    assert guessed is not None and silent.usd_per_hour is not None
    assert guessed.evidence is Evidence.ASSUMED and guessed.value > silent.usd_per_hour


def test_eight_at_once_are_paid_eight_times() -> None:
    metal = next(one for one in SNAPSHOT.offers if one.least_gpus > one.gpu_count)
    rate = offers.rate_of(metal)
    assert rate is not None and metal.usd_per_hour is not None
    assert rate.value == pytest.approx(8 * metal.usd_per_hour)
    assert offers.as_rent(metal, date(2026, 12, 1)).name.endswith("x8")


def test_filters() -> None:
    found = offers.select(SNAPSHOT.offers, "h100-sxm5-80gb", count=8, kind="on-demand", market="hyperscaler")
    assert {one.provider for one in found} == {"aws", "azure", "gcp", "oci"}
    assert found[0].provider == "aws"
    # infracost 3359: g5.12xlarge was priced where it is not sold.
    assert not offers.select(SNAPSHOT.offers, "a10g", provider="aws", region="us-west-1")
    assert offers.select(SNAPSHOT.offers, "a10g", provider="aws", region="us-east-1")
    assert all(one.provider == "lambda" for one in offers.select(SNAPSHOT.offers, provider="lambda"))
    assert all((one.vram_gb or 80) >= 80 for one in offers.select(SNAPSHOT.offers, vram_gb=80))


def test_the_stored_bands_and_drift_are_those_of_the_data() -> None:
    fitted, stored = bands.fit((*SNAPSHOT.offers, *SNAPSHOT.refused)), bands.stored()
    assert fitted.keys() == stored.keys()
    for key, one in fitted.items():
        assert (stored[key].low, stored[key].high) == pytest.approx((one.low, one.high), rel=1e-3), key
        assert stored[key].count == one.count
    assert drift.stored().mean == pytest.approx(drift.fit().mean, abs=1e-3)
    assert drift.stored().sd == pytest.approx(drift.fit().sd, abs=1e-3)
    assert drift.stored().span_years == pytest.approx(drift.fit().span_years, abs=1e-2)


@pytest.mark.parametrize(
    ("header", "cells", "said"),
    [
        (HEADER.replace("gpu_count", "gpus"), "", "gpu_count, gpus: unknown or missing column"),
        (HEADER, {"usd_per_hour": "cheap"}, "2: usd_per_hour: 'cheap' is not a number"),
        (HEADER, {"kind": "rented"}, "2: kind: 'rented'; on-demand | spot"),
        (HEADER, {"gpu_count": ""}, "2: gpu_count: how many devices"),
    ],
)
def test_a_wrong_table_says_where(tmp_path: Path, header: str, cells: dict[str, str], said: str) -> None:
    good = (DATA / "offers.csv").read_text(encoding="utf-8").splitlines()[1].split(",")
    row = dict(zip(HEADER.split(","), good, strict=False)) | dict(cells or {})
    path = tmp_path / "offers.csv"
    path.write_text(header + "\n" + ",".join(row.values()) + "\n", encoding="utf-8")
    with pytest.raises(FileError) as wrong:
        offers.load(path)
    assert said in str(wrong.value)


def test_a_missing_table_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        offers.load(tmp_path / "none.csv")
