"""Machines of one's own: those at hand, and those that could be bought."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from outboard import catalog, compat
from outboard.cost import builds
from outboard.cost.facts import rows
from outboard.cost.owned import market_price
from outboard.i18n import _
from outboard.planner.candidates.base import Candidate, at, cards, fixed, leaving
from outboard.planner.candidates.boxes import Box, burden, cheapest, passive
from outboard.planner.circumstances import Circumstances, is_external
from outboard.types.hardware import Device, Link, Place
from outboard.types.money import Purchase
from outboard.types.plan import Reason

EVERYTHING = ("enclosure", "psu", "cable", "host")
COUNTS = (1, 2, 4)
SERVERS = {"8xh100": "h100-sxm5-80gb", "8xh200": "h200-sxm-141gb", "8xb200": "b200-sxm"}
DOCKED = ("m2", "oculink", "thunderbolt", "usb4", "proprietary")


def owned(me: Circumstances) -> Iterator[Candidate]:
    """Yield what the person has: paid already, so it costs its energy and its repairs."""
    for number, place in enumerate(me.owned):
        tdp = place.device.tdp.value if place.device.tdp else 0.0
        if is_external(place):
            parts = (place.device.id, *EVERYTHING)
            terms = builds.egpu(place.device.id, tdp, me.electricity, on_hours_week=0.0, owned=parts)
        else:
            parts = (place.device.id, *(f"{place.device.id} {i + 1}" for i in range(place.count)), *EVERYTHING)
            terms = builds.workstation(
                place.device.id, tdp, me.electricity, devices=place.count, on_hours_week=0.0, owned=parts
            )
        # Whoever owns a machine looks after it and leaves it on in any case: this job adds nothing to that.
        terms = replace(terms, name=f"owned {place.name}", admin_hours_month=None)
        answer = _judged(me, place)
        label = _("the {place} at hand").format(place=place.name)
        id = f"owned:{number}:{place.name}"
        yield Candidate(id, "owned", place, label, "", terms, _incompatible(answer), answer.notes)


def egpus(me: Circumstances) -> Iterator[Candidate]:
    """Yield a card in a box for each card, port of the host and condition."""
    for name in me.links:
        link = catalog.link(name)
        if link.kind not in DOCKED:
            continue
        for device in cards():
            for condition in conditions(device.id):
                yield egpu(me, device, link, condition)


def egpu(me: Circumstances, device: Device, link: Link, condition: str, also: Sequence[Device] = ()) -> Candidate:
    """Return a card in a box that takes the cards of ``also`` too."""
    place = at(device.id, 1, link.id)
    box, why = cheapest(link.id, (device, *also), me.portable)
    answer = _judged(me, place)
    problems = [*_incompatible(answer)]
    if why:
        problems.append(Reason("compatibility", why))
    if box and me.portable and (heavy := burden(box, device, me.portable)):
        problems.append(Reason("must be portable", heavy))
    has_box = any(is_external(mine) and mine.link.id == link.id for mine in me.owned)
    terms = builds.egpu(
        device.id,
        device.tdp.value if device.tdp else 0.0,
        me.electricity,
        condition,
        psu_included=box is None or box.psu_included,
        on_hours_week=me.stated.on_hours_week,
        owned=EVERYTHING if has_box else (),
        fan=passive(device),
        prices=box.prices if box else {},
    )
    form = _("a used {device} in a box on {link}") if condition == "used" else _("a new {device} in a box on {link}")
    label = form.format(device=device.id, link=link.id)
    notes = [*([] if has_box or box is None else _box_notes(box, device)), *_fan_notes(device), *answer.notes]
    return Candidate(
        f"egpu:{place.name}:{condition}", "egpu", place, label, "", _shared(terms, me), tuple(problems), tuple(notes)
    )


def _fan_notes(device: Device) -> list[str]:
    if not passive(device):
        return []
    text = _("{device} has no fan of its own: a fan with a shroud is counted; it is loud")
    return [text.format(device=device.id)]


def _box_notes(box: Box, device: Device) -> list[str]:
    psu = "" if box.psu_included else _(", with a power supply bought beside it")
    notes = [_("box: {name}").format(name=box.enclosure.name) + psu]
    if box.psu_included and device.power_connectors not in ("", "None"):
        text = _("the card wants {connectors}; whether the box has them is not published: look before buying")
        notes.append(text.format(connectors=device.power_connectors))
    return notes


def workstations(me: Circumstances) -> Iterator[Candidate]:
    """Yield computers with one to four cards; where the host has a slot, cards for the computer at hand."""
    slots = [name for name in me.links if catalog.link(name).kind == "pcie"]
    for device in cards():
        for condition in conditions(device.id):
            for slot in slots:
                yield workstation(me, at(device.id, 1, slot), condition, ("host",))
            for count in COUNTS:
                yield workstation(me, at(device.id, count), condition, ())


def workstation(me: Circumstances, place: Place, condition: str, parts: tuple[str, ...]) -> Candidate:
    """Return a computer with its cards; ``parts`` are at hand already."""
    device = place.device
    terms = builds.workstation(
        device.id,
        device.tdp.value if device.tdp else 0.0,
        me.electricity,
        condition,
        devices=place.count,
        on_hours_week=me.stated.on_hours_week,
        owned=parts,
        fan=passive(device),
    )
    label = _station(condition, bool(parts)).format(place=place.name)
    id = f"workstation:{place.name}:{condition}" + (":card" if parts else "")
    return Candidate(id, "workstation", place, label, "", _shared(terms, me), fixed(me), tuple(_fan_notes(device)))


def servers(me: Circumstances) -> Iterator[Candidate]:
    """Yield nodes of eight data-centre GPUs, in a rack elsewhere or, where data may not leave, at home."""
    colocated = me.stated.colocation and not leaving(me)
    for kind, device in SERVERS.items():
        place = at(device, 8)
        form = _("a server of {place} in a rack") if colocated else _("a server of {place} at home")
        terms = builds.server(kind, me.electricity, colocated)
        label = form.format(place=place.name)
        yield Candidate(f"server:{place.name}", "server", place, label, "", _shared(terms, me), fixed(me))


def conditions(device: str) -> tuple[str, ...]:
    """Return the conditions in which a device is sold; used alone where nobody priced it new."""
    sold = {row["condition"] for row in rows("used_market.csv") if row["device"] == device}
    if "new" not in sold:
        return ("used",)
    return ("used", "new") if "used" in sold and market_price(device) else ("new",)


def _station(condition: str, host_at_hand: bool) -> str:
    if host_at_hand:
        return (
            _("a used {place} in the computer at hand")
            if condition == "used"
            else _("a new {place} in the computer at hand")
        )
    return _("a workstation with a used {place}") if condition == "used" else _("a workstation with a new {place}")


def _shared(terms: Purchase, me: Circumstances) -> Purchase:
    return replace(terms, share=1.0 / me.stated.shared_by)


def _judged(me: Circumstances, place: Place) -> compat.Verdict:
    """Ask the rules about the person's computer with this device; what nobody knows forbids nothing."""
    put = partial(compat.assemble, me.host, place.device, place.link, count=place.count)
    return compat.verdict(put(os=me.stated.os) if me.stated.os else put())


def _incompatible(answer: compat.Verdict) -> tuple[Reason, ...]:
    return tuple(Reason("compatibility", text) for text in answer.reasons)
