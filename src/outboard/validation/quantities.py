"""The quantities that a table may hold, and the units each is written in."""

from outboard.i18n import _

_TOKENS = ("tokens/s", "tok/s", "tokens/sec")
# quantity -> unit as written -> (SI unit, factor to it). The first unit is the one that goes without saying, except
# for times and sizes, where nothing does.
UNITS: dict[str, dict[str, tuple[str, float]]] = {
    "throughput": {
        **dict.fromkeys(("samples/s", "images/s", "sequences/s", "img/s", "seq/s"), ("samples/s", 1.0)),
        **dict.fromkeys(("samples/sec", "images/sec", "sequences/sec", "img/sec"), ("samples/s", 1.0)),
        **dict.fromkeys(_TOKENS, ("tokens/s", 1.0)),
    },
    "step_time": {
        "s": ("s", 1.0),
        "ms": ("s", 1e-3),
        "us": ("s", 1e-6),
        "µs": ("s", 1e-6),
        "sec": ("s", 1.0),
        "seconds": ("s", 1.0),
    },
    "peak_memory": {
        "B": ("B", 1.0),
        "bytes": ("B", 1.0),
        "kB": ("B", 1e3),
        "MB": ("B", 1e6),
        "GB": ("B", 1e9),
        "KiB": ("B", 2.0**10),
        "MiB": ("B", 2.0**20),
        "GiB": ("B", 2.0**30),
    },
    "prefill_rate": dict.fromkeys(_TOKENS, ("tokens/s", 1.0)),
    "decode_rate": dict.fromkeys(_TOKENS, ("tokens/s", 1.0)),
}
SPEAKS_FOR_ITSELF = ("throughput", "prefill_rate", "decode_rate")
# Where the table has no column ``quantity``, a unit tells which of these it is.
BY_UNIT = ("step_time", "peak_memory", "throughput")


def usual_unit(quantity: str) -> str:
    """The unit of a quantity when none is written, empty where it would be a guess.

    >>> usual_unit("throughput"), usual_unit("step_time")
    ('samples/s', '')
    """
    return next(iter(UNITS[quantity])) if quantity in SPEAKS_FOR_ITSELF else ""


def quantity_of(unit: str) -> str:
    """The quantity that a unit belongs to when none is named, empty for an unknown unit.

    >>> quantity_of("ms"), quantity_of("GiB"), quantity_of("parsecs")
    ('step_time', 'peak_memory', '')
    """
    return next((name for name in BY_UNIT if find_unit(name, unit)), "")


def find_unit(quantity: str, unit: str) -> tuple[str, float] | None:
    """SI unit and factor of a unit as written, whatever its case where that is not ambiguous; None for another one."""
    known = UNITS[quantity]
    folded = {name.lower(): found for name, found in known.items()}
    return known.get(unit) or folded.get(unit.lower())


def quantity_name(quantity: str) -> str:
    """The quantity in the language in use."""
    return {
        "throughput": _("throughput"),
        "step_time": _("step time"),
        "peak_memory": _("peak memory"),
        "prefill_rate": _("prefill rate"),
        "decode_rate": _("decode rate"),
    }[quantity]
