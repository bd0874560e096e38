"""How much room and power a box leaves for a card."""

from typing import Any

from outboard.types.hardware import Device, Enclosure

SLOTS = {"single": 1, "dual": 2, "triple": 3, "quad": 4}
PEAK = 1.5  # peaks of a card over its board power: a rule of thumb
REST = 50.0  # what the box itself and its ports take [W]


def margins(enclosure: Enclosure, device: Device | None) -> dict[str, Any]:
    """Return the fields of a machine that follow from the box; margins are left out where a figure is missing."""
    found: dict[str, Any] = {"enclosure": enclosure.id}
    if maker := _maker(enclosure.text.get("controller", "")):
        found["dock_maker"] = maker
    if device is None:
        return found
    facts, text = enclosure.facts, enclosure.text
    supply, limit, room = facts.get("psu"), facts.get("gpu_power_limit"), facts.get("max_card_length")
    if supply and device.tdp and not text.get("psu_included", "").startswith("no"):
        found["supply_margin"] = supply.value - PEAK * device.tdp.value - REST
    if limit and device.tdp:
        found["power_margin"] = limit.value - device.tdp.value
    if room and device.length:
        found["length_margin"] = room.value - device.length.value
    slots, thick = text.get("slots", ""), SLOTS.get(device.slots.partition("-")[0].lower())
    if slots.isdecimal() and thick:
        found["slot_margin"] = float(int(slots) - thick)
    return found


def _maker(controller: str) -> str:
    """Return who made the controller, empty where it is not said.

    >>> _maker("ASM2464PD"), _maker("JHL7540 Titan Ridge"), _maker("none"), _maker("")
    ('asmedia', 'intel', 'none', '')
    """
    if controller.startswith("ASM"):
        return "asmedia"
    if "Ridge" in controller or "JHL" in controller:
        return "intel"
    return "none" if controller in ("none", "direct PCIe") else ""
