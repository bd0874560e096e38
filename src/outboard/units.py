"""Text to SI numbers and back. The only module that knows what a "G" is.

Inside Outboard every quantity is a plain number in SI units: bytes, seconds, hertz, bytes/s, FLOP/s, watts. Text is
converted at the door with :func:`parse` and rendered at the other door with the ``format_*`` functions.
"""

import re

from outboard.errors import UnitError

SI_PREFIX = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
BINARY_PREFIX = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}

# unit -> (dimension, factor to SI). Bits are a dimensionless eighth of a byte.
BASE_UNITS = {
    "B": ("bytes", 1.0),
    "bit": ("bytes", 0.125),
    "B/s": ("bytes/s", 1.0),
    "bit/s": ("bytes/s", 0.125),
    "FLOP/s": ("FLOP/s", 1.0),
    "FLOPS": ("FLOP/s", 1.0),
    "OP/s": ("OP/s", 1.0),
    "Hz": ("Hz", 1.0),
    "W": ("W", 1.0),
}
TIME_UNITS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "day": 86400.0,
    "days": 86400.0,
    "week": 604800.0,
    "weeks": 604800.0,
    # A month is a twelfth of a 365-day year, so that twelve of them are a year.
    "month": 31536000.0 / 12,
    "months": 31536000.0 / 12,
    "year": 31536000.0,
    "years": 31536000.0,
}
SPELLINGS = {"Gb/s": "Gbit/s", "Mb/s": "Mbit/s", "GBps": "GB/s", "Gbps": "Gbit/s", "TFLOPS": "TFLOP/s", "TF": "TFLOP/s"}
EXAMPLE = {
    "bytes": "24 GB",
    "bytes/s": "936 GB/s",
    "FLOP/s": "71 TFLOP/s",
    "OP/s": "142 TOP/s",
    "Hz": "1695 MHz",
    "W": "350 W",
    "s": "24 h",
    "m": "285 mm",
    "g": "2 kg",
}
LENGTH_AND_MASS = {"mm": ("m", 1e-3), "cm": ("m", 1e-2), "m": ("m", 1.0), "kg": ("g", 1e3), "g": ("g", 1.0)}
QUANTITY = re.compile(r"^\s*([-+]?[0-9][0-9_,]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?)\s*([A-Za-zµ/]*)\s*$")


def parse(text: str | float | int, dimension: str) -> float:
    """Return ``text`` as a number in the SI unit of ``dimension``.

    A bare number is taken as SI already. Raises :class:`UnitError` for an unknown unit, another dimension or no number.

    >>> parse("24 GB", "bytes"), parse("24 GiB", "bytes"), parse("40 Gb/s", "bytes/s")
    (24000000000.0, 25769803776.0, 5000000000.0)
    >>> parse("90 min", "s"), parse(12, "bytes")
    (5400.0, 12.0)
    """
    if isinstance(text, (int, float)):
        return float(text)
    match = QUANTITY.match(text)
    if match is None:
        raise UnitError(text, dimension, EXAMPLE.get(dimension, "1"))
    number = float(match[1].replace("_", "").replace(",", ""))
    if not match[2]:
        return number
    found, factor = _factor(SPELLINGS.get(match[2], match[2]))
    if found != dimension:
        raise UnitError(text, dimension, EXAMPLE.get(dimension, "1"))
    return number * factor


def _factor(unit: str) -> tuple[str, float]:
    if unit in TIME_UNITS:
        return "s", TIME_UNITS[unit]
    if unit in LENGTH_AND_MASS:
        return LENGTH_AND_MASS[unit]
    for prefix, scale in {**BINARY_PREFIX, **SI_PREFIX}.items():
        base = unit[len(prefix) :]
        if unit.startswith(prefix) and base in BASE_UNITS:
            dimension, factor = BASE_UNITS[base]
            return dimension, scale * factor
    # "GB" typed as "gb": memory sizes in lower case are unambiguous enough to accept.
    if unit.lower() in {"kb", "mb", "gb", "tb"}:
        return "bytes", SI_PREFIX[{"k": "k", "m": "M", "g": "G", "t": "T"}[unit[0].lower()]]
    return "", 1.0


def format_si(value: float, unit: str, digits: int = 3) -> str:
    """Render an SI number with the prefix that leaves one to three figures before the point.

    >>> format_si(936e9, "B/s"), format_si(0.0042, "s"), format_si(35.6e12, "FLOP/s")
    ('936 GB/s', '4.2 ms', '35.6 TFLOP/s')
    """
    if value == 0:
        return f"0 {unit}"
    small = {"m": 1e-3, "µ": 1e-6, "n": 1e-9}
    scales = [*reversed(SI_PREFIX.items()), *small.items()]
    for prefix, scale in scales:
        if abs(value) >= scale * 0.9995:
            return f"{_round(value / scale, digits)} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def format_bytes(value: float, digits: int = 3) -> str:
    """Render bytes in binary units, the ones that GPU tools show.

    >>> format_bytes(25769803776), format_bytes(512)
    ('24 GiB', '512 B')
    """
    for prefix, scale in reversed(BINARY_PREFIX.items()):
        if abs(value) >= scale * 0.9995:
            return f"{_round(value / scale, digits)} {prefix}B"
    return f"{value:.0f} B"


def _round(value: float, digits: int) -> str:
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if abs(float(text)) >= 10 ** (digits - 1) else text
