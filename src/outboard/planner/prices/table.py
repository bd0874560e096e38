"""Where the refreshed table lies, and how it is written: whole or not at all."""

import csv
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from outboard.cost.offer_rows import COLUMNS, read
from outboard.cost.offers import SHIPPED, check, load
from outboard.errors import OutsideError, UsageError
from outboard.i18n import _
from outboard.types.money import Offer, Snapshot


def path() -> Path:
    """Return where a refreshed table is kept: ``OUTBOARD_DATA_DIR``, else the user's own folder for data."""
    chosen = os.environ.get("OUTBOARD_DATA_DIR")
    if not chosen:
        import platformdirs

        chosen = platformdirs.user_data_dir("outboard", appauthor=False)
    return Path(chosen) / "offers.csv"


def current() -> Snapshot:
    """Return the refreshed table where there is one that can be read, else the one that ships."""
    return check(rows())


def rows() -> list[Offer]:
    """Return the offers in use as written, not yet judged."""
    if path().is_file():
        # A table that another version wrote must not stop a plan: the shipped one is always good.
        with suppress(UsageError, OSError, UnicodeDecodeError):
            found = read(path())
            if found:
                load(path())
                return found
    return read(SHIPPED)


def write(offers: Iterable[Offer]) -> None:
    """Replace the refreshed table. Whoever reads meanwhile sees the old one or the new one."""
    target = path()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(
            "w", dir=target.parent, suffix=".csv", delete=False, encoding="utf-8", newline=""
        ) as out:
            writer = csv.writer(out)
            writer.writerow(COLUMNS)
            writer.writerows([_cell(getattr(offer, column)) for column in COLUMNS] for offer in offers)
        Path(out.name).replace(target)
    except OSError as error:
        raise OutsideError(_("{path} cannot be written: {error}").format(path=target, error=error)) from None


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.12g}"
    return "" if value is None else str(value)
