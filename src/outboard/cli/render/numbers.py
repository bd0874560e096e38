"""Numbers as people read them, with the decimal mark of the language in use."""

import re

from outboard import units
from outboard.cli import language
from outboard.i18n import _
from outboard.types.estimate import Term
from outboard.types.evidence import Fact

UNKNOWN = "?"
DIGITS = 3
PREFIXED = frozenset({"B/s", "s", "FLOP/s", "FLOP", "Hz", "W"})  # units that take k, M, G or m, µ, n


def local(text: str) -> str:
    """``text`` with the decimal mark of the language in use."""
    return text.replace(".", ",") if language.code() == "es" else text


def prose(text: str) -> str:
    """A sentence, whose amounts come with the marks of English, with those of the language in use."""
    return swapped(text) if language.code() == "es" else text


def swapped(text: str) -> str:
    """``text`` with decimal commas: a point or comma between figures is turned, names of places are not.

    >>> swapped("1,163.50 EUR with an rtx-3060 on pcie4-x16 for 2.1 h.")
    '1163,50 EUR with an rtx-3060 on pcie4-x16 for 2,1 h.'
    """
    grouped = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    return re.sub(r"(?<=\d)\.(?=\d)", ",", grouped)


def plain(value: float) -> str:
    """Three figures, and no exponent.

    >>> plain(1234.5), plain(77.25), plain(0.0613)
    ('1230', '77.2', '0.0613')
    """
    rounded = float(f"{value:.{DIGITS}g}")
    return local(f"{rounded:.0f}" if abs(rounded) >= 100 else f"{rounded:.{DIGITS}g}")


def quantity(value: float | None, unit: str) -> str:
    """A number in SI with the prefix that reads best; bytes in the binary units that GPU tools show.

    >>> quantity(12884901888, "B"), quantity(0.0042, "s"), quantity(None, "s"), quantity(1.5, "1")
    ('12 GiB', '4.2 ms', '?', '1.5')
    """
    if value is None:
        return UNKNOWN
    if unit == "B":
        return local(units.format_bytes(value))
    if unit in {"1", ""}:
        return plain(value)
    if unit in PREFIXED:
        return local(units.format_si(value, unit))
    return f"{plain(value)} {unit}"


def term(number: Term) -> str:
    """The value of a term with its unit."""
    return quantity(number.value, si(number.unit))


def fact(known: Fact | None) -> str:
    """The value of a fact with its unit; empty where nobody published one."""
    return "" if known is None else quantity(known.value, si(known.unit))


def si(unit: str) -> str:
    """The symbol of a unit that tables write in full.

    >>> si("bytes/s"), si("W")
    ('B/s', 'W')
    """
    return unit.replace("bytes", "B")


def span(number: Term) -> str:
    """``low to high``, the unit once where both ends have the same; empty where there is no band."""
    ends = _ends(number)
    if ends is None:
        return ""
    first, last = (quantity(end, si(number.unit)) for end in ends)
    unit = last[last.rfind(" ") :] if " " in last else ""
    return _("{low} to {high}").format(low=first.removesuffix(unit) if unit else first, high=last)


def short_span(number: Term) -> str:
    """The same without unit, where there is little room; for units that take no prefix."""
    ends = _ends(number)
    return "" if ends is None else f"{plain(ends[0])}–{plain(ends[1])}"


def _ends(number: Term) -> tuple[float, float] | None:
    low, high = number.low, number.high
    return None if number.value is None or low is None or high is None or low == high else (low, high)


def band(number: Term) -> str:
    """``value (low to high)``, without the band where there is none."""
    ends = span(number)
    return f"{term(number)} ({ends})" if ends else term(number)


def share(part: float | None, whole: float | None) -> str:
    """A part in hundredths of the whole.

    >>> share(1, 3), share(0.001, 1), share(None, 1)
    ('33 %', '<1 %', '')
    """
    if part is None or not whole:
        return ""
    hundredths = 100 * part / whole
    return "<1 %" if 0 < hundredths < 0.5 else f"{hundredths:.0f} %"
