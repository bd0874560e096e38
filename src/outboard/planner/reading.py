"""Values of ``me.yaml`` as numbers and entries of the catalogue; what is wrong names the file and the key."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from outboard.cost.durations import HOUR, YEAR, horizon_years
from outboard.cost.money import wrong
from outboard.errors import UnitError, UnknownNameError, UsageError
from outboard.i18n import _
from outboard.units import parse

Found = TypeVar("Found")


def named(find: Callable[[str], Found], name: str, key: str, path: str | Path) -> Found:
    """Look a name up; a miss says in which file and under which key it stands."""
    try:
        return find(name)
    except UnknownNameError as error:
        raise UsageError(f"{path}: {key}: {error}" if path else f"{key}: {error}") from None


def hours_of(text: str | None, key: str, path: str | Path) -> float:
    """Return a deadline [h], infinite where there is none."""
    return math.inf if text is None else horizon_years(text, key, path) * YEAR / HOUR


def quantity(text: str | None, dimension: str, key: str, example: str, path: str | Path) -> float:
    """Return a positive quantity in SI units, infinite where nothing is said."""
    if text is None:
        return math.inf
    try:
        value = parse(text, dimension)
    except UnitError:
        value = 0.0
    if value <= 0 or not any(letter.isalpha() for letter in text):
        raise wrong(path, key, _("'{text}' is not a quantity with its unit").format(text=text), example)
    return value
