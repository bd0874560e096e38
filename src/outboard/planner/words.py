"""Amounts and times as people say them."""

from outboard.cost.money import from_usd
from outboard.i18n import _
from outboard.planner.circumstances import Circumstances


def money(usd: float, me: Circumstances) -> str:
    """Return an amount in the person's currency, as errors and reasons say it."""
    return amount(usd, me.currency)


def amount(usd: float, currency: str = "USD") -> str:
    """Return an amount in ``currency``.

    >>> amount(113.0, "EUR"), amount(0.4)
    ('100 EUR', '0.40 USD')
    """
    found = from_usd(usd, currency)
    return f"{found:,.0f} {currency}" if abs(found) >= 20 else f"{found:.2f} {currency}"


def duration(hours: float) -> str:
    """Return hours as people say them.

    >>> duration(0.02), duration(3.14), duration(100.0)
    ('1 min', '3.1 h', '4.2 days')
    """
    if hours < 1.0:
        return _("{minutes:.0f} min").format(minutes=max(60 * hours, 1))
    return _("{hours:.1f} h").format(hours=hours) if hours < 72 else _("{days:.1f} days").format(days=hours / 24)
