"""A machine that grows: an enclosure and a card now, a better card in a year. What is replaced is sold that day."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, product

import numpy as np

from outboard.cost.arrays import Array
from outboard.cost.buy import capital, resale, running
from outboard.cost.draws import Draws
from outboard.cost.formulas import present_value
from outboard.cost.result import CostResult, Line, discounted_years
from outboard.cost.terms import drawn, stated, unknown
from outboard.i18n import _
from outboard.types.estimate import Term
from outboard.types.money import Part, Purchase, Rent, Use, Work


@dataclass(frozen=True, slots=True)
class Phase:
    """The machine from ``from_years`` on, and how long a job takes on it then."""

    purchase: Purchase
    work: Work
    from_years: float = 0.0


def staged(phases: Sequence[Phase], use: Use, draws: Draws, instead: Rent | None = None) -> CostResult:
    """Return the cost of a purchase in stages; with one phase, that of :func:`outboard.cost.buy.buy`.

    Jobs come at a steady rate, so each phase has the share of them that it has of the time.
    """
    name = " > ".join(phase.purchase.name for phase in phases)
    within = _within(phases, use.horizon_years)
    lasting = _lasting(within, use.horizon_years)
    hours = _mean_hours(within, lasting, draws)
    bought = scheduled(within, use.horizon_years)
    explain = partial(_explain, name, tuple(phases), use, draws, instead)
    if missing := [part.name for part in bought.parts if part.price is None]:
        why = _("no price is known for {parts}").format(parts=", ".join(missing))
        nothing = partial(unknown, name, "USD", why)
        return CostResult(name, "buy", use, (), hours, hours, nothing, unknown=why)
    owning = capital(bought, use, draws) - resale(bought, use, draws)
    each = [_running(phase, years, use, draws, instead) for phase, years in zip(within, lasting, strict=True)]
    lines = tuple(
        Line(
            owning + np.sum([line.fixed for line in chosen], axis=0), np.sum([line.per_job for line in chosen], axis=0)
        )
        for chosen in product(*each)
    )
    return CostResult(name, "buy", use, lines, hours, hours, explain)


def committed(phases: Sequence[Phase], use: Use, draws: Draws) -> float | None:
    """Return the money that all stages tie up, less what replaced parts are sold for [USD]; None where unknown."""
    bought = scheduled(phases, use.horizon_years)
    if any(part.price is None for part in bought.parts):
        return None
    replaced = replace(bought, parts=tuple(part for part in bought.parts if part.sold_years is not None))
    return float(np.median(capital(bought, use, draws) - resale(replaced, use, draws)))


def scheduled(phases: Sequence[Phase], horizon: float) -> Purchase:
    """Return the first phase's purchase with all that is bought within ``horizon``, each part with its dates."""
    return replace(phases[0].purchase, parts=tuple(_schedule(_within(phases, horizon), horizon)))


def _within(phases: Sequence[Phase], horizon: float) -> list[Phase]:
    return [phase for phase in phases if phase.from_years < horizon]


def _schedule(phases: Sequence[Phase], horizon: float) -> Iterator[Part]:
    """A part that the next phase has too, by name, is kept and not bought again."""
    names = [{part.name for part in phase.purchase.parts} for phase in phases]
    for index, phase in enumerate(phases):
        for part in phase.purchase.parts:
            if index and part.name in names[index - 1]:
                continue
            gone = next((k for k in range(index, len(phases)) if part.name not in names[k]), None)
            sold = None if gone is None else min(phases[gone].from_years, horizon)
            yield replace(part, at_years=phase.from_years, sold_years=sold)


def _lasting(phases: Sequence[Phase], horizon: float) -> list[float]:
    """Return how long each phase lasts [year]."""
    starts = [phase.from_years for phase in phases]
    if not starts or starts[0] != 0.0 or any(later <= earlier for earlier, later in pairwise(starts)):
        raise ValueError("the first stage begins now, and each later one after the one before")
    return [later - earlier for earlier, later in pairwise([*starts, horizon])]


def _mean_hours(phases: Sequence[Phase], lasting: Sequence[float], draws: Draws) -> Array:
    """Return the hours of a job, averaged over all of them [h]."""
    total = sum(lasting)
    each = [draws.of(phase.work.hours, phase.work.cause) for phase in phases]
    return np.sum([years / total * hours for years, hours in zip(lasting, each, strict=True)], axis=0)


def _running(phase: Phase, years: float, use: Use, draws: Draws, instead: Rent | None) -> list[Line]:
    """Return the lines of one phase as the whole horizon sees them: its costs come later, for its share of the jobs."""
    then = replace(use, horizon_years=years)
    share = discounted_years(years, use.discount_rate) / discounted_years(use.horizon_years, use.discount_rate)
    worth = float(present_value(1.0, use.discount_rate, phase.from_years)[0])
    lines = running(phase.purchase, phase.work, then, draws, instead)
    return [Line(worth * line.fixed, worth * share * line.per_job) for line in lines]


def _explain(name: str, phases: tuple[Phase, ...], use: Use, draws: Draws, instead: Rent | None) -> Term:
    result = staged(phases, use, draws, instead)
    bought = scheduled(phases, use.horizon_years)
    prices = tuple(stated(part.name, part.price) for part in bought.parts)
    owning = capital(bought, use, draws), resale(bought, use, draws)
    children = (
        drawn(_("purchase"), owning[0], "USD", "sum P_s / (1 + r)^t_s", prices),
        drawn(_("resale"), owning[1], "USD", "each when it is replaced, the last at the end", prices),
        drawn(_("energy, repairs and the owner's hours"), result.over_horizon - owning[0] + owning[1], "USD", "sum"),
    )
    return drawn(name, result.over_horizon, "USD", "purchase - resale + running, stage by stage", children)
