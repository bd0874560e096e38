"""What cannot be: a figure above what link, memory or clock allow was measured wrongly, and is discarded."""

import math

from outboard.i18n import _
from outboard.types.measured import Figure

SLACK = 1.05  # a figure may lie this much above theory: clocks and data sheets are rounded


def fault(figure: Figure, ceilings: dict[str, float]) -> str:
    """Why a figure cannot be believed, or nothing. ``ceilings`` are by the beginning of a name.

    >>> fault(Figure("copy.h2d.pinned", 9e9, 9e9, 9e9, "B/s", 5), {"copy.": 4e9})
    'copy.h2d.pinned: 9e+09 B/s is above the 4e+09 B/s that are possible; discarded'
    """
    if not math.isfinite(figure.value) or figure.value <= 0:
        return _("{name}: {value:g} {unit} is no result; discarded").format(**_named(figure))
    for start, limit in ceilings.items():
        if figure.name.startswith(start) and figure.unit in ("B/s", "FLOP/s") and figure.value > SLACK * limit:
            form = _("{name}: {value:.3g} {unit} is above the {limit:.3g} {unit} that are possible; discarded")
            return form.format(limit=limit, **_named(figure))
    return ""


def _named(figure: Figure) -> dict[str, object]:
    return {"name": figure.name, "value": figure.value, "unit": figure.unit}
