"""Reads a table of offers, one per line; a wrong cell is named with its line, column and right form."""

import csv
from pathlib import Path
from typing import cast

from outboard.errors import FileError
from outboard.i18n import _
from outboard.types.money import Market, Offer, OfferKind

COLUMNS = (
    "provider",
    "instance",
    "gpu",
    "device",
    "gpu_count",
    "gpu_share",
    "vram_gb",
    "vcpus",
    "ram_gb",
    "kind",
    "tier",
    "market",
    "usd_per_hour",
    "usd_per_gpu_hour",
    "host_included",
    "usd_per_vcpu_hour",
    "usd_per_ram_gb_hour",
    "cheapest_live",
    "least_gpus",
    "region",
    "date",
    "source",
    "licence",
    "note",
)


def read(path: Path) -> list[Offer]:
    """Return the offers in ``path`` as written, not yet judged; an unknown or missing column is an error."""
    if not path.is_file():
        raise FileError(path, _("no such file"))
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        wrong = set(reader.fieldnames or ()) ^ set(COLUMNS)
        if wrong:
            right = _("the columns are: {names}").format(names=", ".join(COLUMNS))
            raise FileError(path, _("unknown or missing column"), ", ".join(sorted(wrong)), right)
        return [_offer(row, path, number) for number, row in enumerate(reader, start=2)]


def _offer(row: dict[str, str], path: Path, line: int) -> Offer:
    def number(key: str) -> float | None:
        text = row[key].strip()
        if not text:
            return None
        try:
            return float(text)
        except ValueError:
            problem = _("'{text}' is not a number").format(text=text)
            raise FileError(f"{path}:{line}", problem, key, _("a number, or nothing where unknown")) from None

    count, least = number("gpu_count"), number("least_gpus")
    if count is None or count < 1:
        raise FileError(f"{path}:{line}", _("how many devices the instance has"), "gpu_count", "8")
    return Offer(
        provider=row["provider"],
        instance=row["instance"],
        gpu=row["gpu"],
        device=row["device"],
        gpu_count=int(count),
        gpu_share=number("gpu_share") or 1.0,
        least_gpus=int(least or count),
        vram_gb=number("vram_gb"),
        vcpus=number("vcpus"),
        ram_gb=number("ram_gb"),
        kind=cast(OfferKind, _word(row, "kind", ("on-demand", "spot"), path, line)),
        tier=row["tier"],
        market=cast(Market, _word(row, "market", ("hyperscaler", "cloud", "marketplace"), path, line)),
        usd_per_hour=number("usd_per_hour"),
        usd_per_gpu_hour=number("usd_per_gpu_hour"),
        host_included=row["host_included"] == "yes",
        usd_per_vcpu_hour=number("usd_per_vcpu_hour"),
        usd_per_ram_gb_hour=number("usd_per_ram_gb_hour"),
        cheapest_live=row["cheapest_live"] == "yes",
        region=row["region"],
        date=row["date"],
        source=row["source"],
        licence=row["licence"],
        note=row["note"],
    )


def _word(row: dict[str, str], key: str, known: tuple[str, ...], path: Path, line: int) -> str:
    if row[key] not in known:
        raise FileError(f"{path}:{line}", f"'{row[key]}'", key, " | ".join(known))
    return row[key]
