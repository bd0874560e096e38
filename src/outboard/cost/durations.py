"""Durations at the door: a horizon such as "24 months", a wait such as "1 h .. 24 h"."""

import math
from pathlib import Path

from outboard.cost.money import wrong
from outboard.errors import UnitError
from outboard.i18n import _
from outboard.types.evidence import Evidence, Fact
from outboard.units import parse

HOUR = 3600.0
YEAR = 31_536_000.0
LONGEST = 50  # nobody plans farther [year]
SHORTEST_WAIT = (
    1.0 / 60.0
)  # "0 h .. 8 h" means at least a minute in the queue: a logarithmic spread needs a beginning [h]


def horizon_years(text: object, key: str = "horizon", path: str | Path = "") -> float:
    """Return a horizon [year]; zero, negative or without a unit is an error.

    >>> round(horizon_years("24 months"), 9)
    2.0
    """
    years = _seconds(text, key, path, "24 months") / YEAR
    if years <= 0:
        raise wrong(path, key, _("'{text}' is not longer than zero").format(text=text), "24 months")
    if years > LONGEST:
        raise wrong(path, key, _("'{text}' is longer than {years} years").format(text=text, years=LONGEST), "24 months")
    return years


def wait_hours(text: object, key: str = "wait", path: str | Path = "") -> Fact:
    """Return a wait as the person states it [h]: "3 h", or an interval that holds four waits out of five.

    The middle of an interval is its geometric mean: queues are short on most days and very long on some.

    >>> wait = wait_hours("1 h .. 24 h")
    >>> round(wait.value, 2), wait.low, wait.high
    (4.9, 1.0, 24.0)
    """
    example = "1 h .. 24 h"
    source = _("stated by the person")
    ends = [part.strip() for part in text.split("..")] if isinstance(text, str) else [text]
    if len(ends) > 2:
        raise wrong(path, key, _("'{text}' is not one interval").format(text=text), example)
    hours = [_seconds(end, key, path, example) / HOUR for end in ends]
    if min(hours) < 0 or hours[0] > hours[-1]:
        raise wrong(path, key, _("'{text}' is not an interval of time").format(text=text), example)
    if len(hours) == 1:
        return Fact(hours[0], "h", source, Evidence.MEASURED_HERE)
    low, high = max(hours[0], SHORTEST_WAIT), max(hours[1], SHORTEST_WAIT)
    # Four out of five, which is how far low and high are from the middle for a datasheet value.
    return Fact(math.sqrt(low * high), "h", source, Evidence.DATASHEET, low=low, high=high)


def _seconds(text: object, key: str, path: str | Path, example: str) -> float:
    problem = _("'{text}' is not a time with its unit").format(text=text)
    # A bare number would be taken as seconds, which nobody means by a horizon or a wait.
    if not isinstance(text, str) or not any(letter.isalpha() for letter in text):
        raise wrong(path, key, problem, example)
    try:
        return parse(text, "s")
    except UnitError:
        raise wrong(path, key, problem, example) from None
