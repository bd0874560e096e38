"""Boxes for an external GPU: which of the catalogue takes a card, what it costs, what it weighs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from outboard import catalog
from outboard.cost.facts import overhead
from outboard.i18n import _
from outboard.planner.circumstances import Limits
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Device, Enclosure

# Grams of a card for each watt it may draw: the cooler grows with the heat. An RTX 3060 of 170 W weighs about 0.9 kg,
# an RTX 4090 of 450 W about 2.3 kg. A judgement: no table of weights of cards is at hand.
GRAMS_PER_WATT = 5.2
SLOTS = {"single": 1, "dual": 2, "triple": 3, "quad": 4}
ATX_PSU_WATTS = 650.0  # the supply that is bought for a dock without one


@dataclass(frozen=True)
class Box:
    """An enclosure for one card; ``price`` None: the usual price of its kind."""

    enclosure: Enclosure
    psu_included: bool
    price: Fact | None

    @property
    def likely_price(self) -> float:
        """Price with the supply, for choosing [USD]."""
        usual = overhead("enclosure-thunderbolt" if self.psu_included else "dock-without-psu")
        return (self.price or usual).value + (0.0 if self.psu_included else overhead("psu-650-850w").value)

    @property
    def prices(self) -> Mapping[str, Fact]:
        """What is known, by the names that builds have."""
        return {"enclosure": self.price} if self.price else {}


@lru_cache
def boxes(link: str) -> tuple[Box, ...]:
    """Return the boxes for cards on ``link``, those with a GPU inside left out."""
    return tuple(
        Box(one, not one.text.get("psu_included", "no").startswith("no"), one.facts.get("price"))
        for one in catalog.enclosures()
        if link in one.links and one.text.get("gpu_included", "no") == "no"
    )


OPEN = frozenset({"open dock", "adapter"})  # where a fan can be screwed to the card's end


def passive(device: Device) -> bool:
    """Whether the card relies on the fans of a server: those for data centres have none of their own."""
    return device.kind == "datacentre" and device.form == "card"


def misfit(box: Box, device: Device) -> str:
    """Return why the card does not go into the box, or nothing; what nobody published is taken to fit."""
    facts, draw = box.enclosure.facts, _draw(device)
    longest, limit = facts.get("max_card_length"), facts.get("gpu_power_limit")
    supply = (
        facts["psu"].value if box.psu_included and "psu" in facts else (ATX_PSU_WATTS if not box.psu_included else None)
    )
    room, thick = box.enclosure.text.get("slots", ""), SLOTS.get(device.slots.partition("-")[0].lower())
    if passive(device) and box.enclosure.kind not in OPEN:
        return _("{device} has no fan of its own, and {box} leaves no room for one").format(
            device=device.id, box=box.enclosure.name
        )
    if room.isdigit() and thick and thick > int(room):
        return _("{box} takes cards of {room} slots, this one has {thick}").format(
            box=box.enclosure.name, room=room, thick=thick
        )
    if longest and device.length and device.length.value > longest.value:
        return _("{box} takes cards of {longest:.0f} mm, this one has {length:.0f} mm").format(
            box=box.enclosure.name, longest=1000 * longest.value, length=1000 * device.length.value
        )
    if limit and device.tdp and device.tdp.value > limit.value:
        return _("{box} gives a card {limit:.0f} W, this one takes {tdp:.0f} W").format(
            box=box.enclosure.name, limit=limit.value, tdp=device.tdp.value
        )
    if supply is not None and draw > supply:
        return _("{box} has {supply:.0f} W, the card may draw {draw:.0f} W").format(
            box=box.enclosure.name, supply=supply, draw=draw
        )
    return ""


def cheapest(link: str, devices: Sequence[Device], limits: Limits | None) -> tuple[Box | None, str]:
    """Return the box to buy that takes each of the cards in turn, else why there is none.

    The cheapest, but the lightest for who must carry it.
    """
    known = boxes(link)
    fitting = [box for box in known if not any(misfit(box, device) for device in devices)]
    if not fitting:
        why = next((found for device in devices if (found := misfit(known[0], device))), "") if known else ""
        return None, why or _("no box for {link} is in the catalogue").format(link=link)
    if limits is not None:
        weighed = [box for box in fitting if "weight" in box.enclosure.facts]
        if weighed:
            return min(weighed, key=lambda box: box.enclosure.facts["weight"].value), ""
    return min(fitting, key=lambda box: box.likely_price), ""


def burden(box: Box, device: Device, limits: Limits) -> str:
    """Return why box and card are too much to carry or to plug in, or nothing."""
    weight, draw = box.enclosure.facts.get("weight"), _draw(device)
    if draw > limits.power:
        return _("the card may draw {draw:.0f} W, above {limit:.0f} W").format(draw=draw, limit=limits.power)
    if weight is None:
        return _("the weight of {box} is not known").format(box=box.enclosure.name)
    total = weight.value + card_weight(device).value
    if total > limits.weight:
        return _("box and card weigh about {weight:.1f} kg, above {limit:g} kg").format(
            weight=total / 1000, limit=limits.weight / 1000
        )
    return ""


def card_weight(device: Device) -> Fact:
    """Return about what a card weighs [g]."""
    watts = device.tdp.value if device.tdp else 0.0
    return Fact(GRAMS_PER_WATT * watts, "g", "rule of outboard.planner.candidates.boxes", Evidence.ASSUMED)


def _draw(device: Device) -> float:
    share = overhead("draw-of-tdp")
    return (device.tdp.value if device.tdp else 0.0) * (share.high or share.value)
