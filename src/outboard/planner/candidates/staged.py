"""A purchase in stages, as the person means to make it: each stage is a candidate, and the first holds the others."""

from collections.abc import Iterator
from dataclasses import replace

from outboard.cost.arrays import MONTHS_PER_YEAR
from outboard.i18n import _
from outboard.planner.candidates.base import Candidate
from outboard.planner.candidates.machines import egpu, workstation
from outboard.planner.circumstances import Circumstances, is_external
from outboard.planner.wishes import Step
from outboard.types.money import Part, Purchase


def staged(me: Circumstances) -> Iterator[Candidate]:
    """Yield the purchase that the person means to make in stages, if any."""
    if not me.staged:
        return
    stages = [_stage(me, step) for step in me.staged]
    first = stages[0]
    label = first.label
    for step, stage in zip(me.staged[1:], stages[1:], strict=True):
        text = _("{before}; after {months:.0f} months {then}")
        label = text.format(before=label, months=MONTHS_PER_YEAR * step.from_years, then=stage.label)
    yield replace(
        first,
        id="staged:" + ">".join(stage.place.name for stage in stages),
        label=label,
        problems=tuple(dict.fromkeys(problem for stage in stages for problem in stage.problems)),
        notes=tuple(dict.fromkeys(note for stage in stages for note in stage.notes)),
        later=tuple((step.from_years, stage) for step, stage in zip(me.staged[1:], stages[1:], strict=True)),
    )


def _stage(me: Circumstances, step: Step) -> Candidate:
    place = step.place
    if is_external(place):
        # One box serves all the cards that ever hang on that cable.
        also = [one.place.device for one in me.staged if one.place.link.id == place.link.id]
        found = egpu(me, place.device, place.link, step.condition, also)
    else:
        found = workstation(me, place, step.condition, ("host",) if step.named_link and _slot(me, step) else ())
    assert isinstance(found.terms, Purchase)
    parts = tuple(_part(part, step) for part in found.terms.parts)
    return replace(found, terms=replace(found.terms, parts=parts))


def _slot(me: Circumstances, step: Step) -> bool:
    return step.place.link.id in me.links


def _part(part: Part, step: Step) -> Part:
    """Return a part as it is bought in this stage. Cards are numbered, so that a second one joins the first."""
    device = step.place.device.id
    if part.name != device and not part.name.startswith(f"{device} "):
        return part
    numbered = replace(part, name=f"{device} 1") if part.name == device else part
    if step.price is not None:
        return replace(numbered, price=step.price, used_value=step.price, priced_years=step.from_years)
    # A used card costs then what the market has made of it; nothing is known of how a new one will be priced.
    return replace(numbered, moves=step.condition == "used")
