"""Refreshing prices: whole or not at all, and a provider that fails keeps its last good rows."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from outboard.cost.offer_rows import read
from outboard.cost.offers import SHIPPED
from outboard.errors import OutsideError
from outboard.planner.prices import hunt, table
from outboard.planner.prices.refresh import refresh
from outboard.types.money import Offer
from tests.planner.made import TODAY


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OUTBOARD_DATA_DIR", str(tmp_path))
    return tmp_path


def of(provider: str) -> list[Offer]:
    return [offer for offer in read(SHIPPED) if offer.provider == provider]


def test_without_a_refresh_the_shipped_table_is_used() -> None:
    assert len(table.current().offers) == 409


def test_a_written_table_is_read_back_as_it_was() -> None:
    table.write(read(SHIPPED))
    assert table.rows() == read(SHIPPED)


def test_a_provider_that_fails_keeps_its_rows() -> None:
    newer = [replace(offer, date="2026-11-30") for offer in of("verda")]

    def broken() -> list[Offer]:
        raise ConnectionError("no route\nto host")

    done = refresh({"verda": lambda: newer, "aws": broken})
    assert done.collected == {"verda": len(newer)} and done.failed == {"aws": "no route to host"}
    assert [offer for offer in table.rows() if offer.provider == "aws"] == of("aws")
    assert {offer.date for offer in table.rows() if offer.provider == "verda"} == {"2026-11-30"}


def test_a_table_that_cannot_be_believed_is_a_failure() -> None:
    wrong = [replace(o, usd_per_hour=0.01 * o.gpu_count, usd_per_gpu_hour=0.01) for o in of("lambda")]
    done = refresh({"lambda": lambda: wrong, "aws": lambda: of("aws"), "gcp": list, "oci": lambda: of("oci")[:1]})
    assert set(done.failed) == {"lambda", "gcp", "oci"} and "cannot be believed" in done.failed["lambda"]
    assert [offer for offer in table.rows() if offer.provider == "lambda"] == of("lambda")


def test_when_nobody_answers_nothing_changes() -> None:
    with pytest.raises(OutsideError, match="no provider answered"):
        refresh({"aws": list})
    assert not table.path().exists()


def test_a_broken_table_gives_way_to_the_shipped_one() -> None:
    table.path().write_text("provider,price\naws,1\n", encoding="utf-8")
    assert len(table.current().offers) == 409


def test_an_item_of_gpuhunt_is_a_row_of_an_instance() -> None:
    item = SimpleNamespace(
        gpu_name="H100",
        gpu_memory=80.0,
        gpu_count=8,
        instance_name="p5",
        cpu=192,
        memory=2048.0,
        spot=False,
        price=32.0,
        location="us-east-1",
    )
    offer = hunt.as_offer(item, "aws", TODAY)
    assert offer is not None and offer.device.startswith("h100")
    assert (offer.usd_per_hour, offer.usd_per_gpu_hour, offer.market) == (32.0, 4.0, "hyperscaler")
    dearer = hunt.as_offer(SimpleNamespace(**{**vars(item), "price": 40.0, "location": "eu"}), "aws", TODAY)
    assert dearer is not None and hunt.cheapest([dearer, offer]) == [offer]
    assert hunt.as_offer(SimpleNamespace(**{**vars(item), "gpu_name": None}), "aws", TODAY) is None
