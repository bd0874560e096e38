"""The day as of which prices are aged: today, or the one that ``OUTBOARD_TODAY`` names, to repeat a plan."""

import os
from datetime import date

from outboard.errors import UsageError
from outboard.i18n import _

VARIABLE = "OUTBOARD_TODAY"


def today() -> date:
    """The day in force. Raises :class:`~outboard.errors.UsageError` where the variable is no date."""
    named = os.environ.get(VARIABLE)
    if not named:
        return date.today()
    try:
        return date.fromisoformat(named)
    except ValueError as error:
        message = _("{variable}: '{value}' is not a date; write it like '2026-12-01'")
        raise UsageError(message.format(variable=VARIABLE, value=named)) from error
