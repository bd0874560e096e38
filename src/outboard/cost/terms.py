"""From draws and facts to the terms that explain a number."""

import math

from outboard.cost.arrays import Array, band
from outboard.i18n import _
from outboard.types.estimate import Term
from outboard.types.evidence import Evidence, Fact

FORMULAS = "outboard.cost.formulas"


def drawn(name: str, draws: Array, unit: str, formula: str, children: tuple[Term, ...] = ()) -> Term:
    """Return the term of a computed number: its median and 80 % interval, worth what its weakest input is worth."""
    found = band(draws)
    evidence = max((child.evidence for child in children), default=Evidence.FITTED)
    if not math.isfinite(found.p50):
        return Term(name, None, unit, FORMULAS, evidence, formula=formula, note=_("never"), children=children)
    low, high = found.p10, found.p90
    if low == high or not math.isfinite(low):
        return Term(name, found.p50, unit, FORMULAS, evidence, formula=formula, children=children)
    return Term(
        name,
        found.p50,
        unit,
        FORMULAS,
        evidence,
        low=min(low, found.p50 * (1 + 1e-9)),
        high=high if math.isfinite(high) else None,
        formula=formula,
        note="" if math.isfinite(high) else _("without an upper end"),
        children=children,
    )


def stated(name: str, fact: Fact | None, why_unknown: str = "") -> Term:
    """Return the term of an input; an input that nobody knows says so."""
    if fact is None:
        return Term(name, None, "", _("nobody stated it"), Evidence.ASSUMED, note=why_unknown or _("unknown"))
    return Term(name, fact.value, fact.unit, fact.source, fact.evidence, low=fact.low, high=fact.high, note=fact.note)


def unknown(name: str, unit: str, why: str, children: tuple[Term, ...] = ()) -> Term:
    """Return the term of a number that cannot be computed."""
    return Term(name, None, unit, FORMULAS, Evidence.ASSUMED, note=why, children=children)
