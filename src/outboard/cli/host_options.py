"""The options that say what the host gives to the devices of a place."""

import inspect
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from outboard.cli import parameters
from outboard.cli.choices import one_of, positive, quantity, whole
from outboard.cli.job_parameters import number
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.types.hardware import HostSide, Place

NAMES = ("cores", "disk", "display", "sharing", "os", "resident_rate")
SYSTEMS = ("linux", "windows", "wsl2", "macos")
SAID = "said on the command line"


def host_options() -> list[inspect.Parameter]:
    """All are None when not given."""
    return [
        number("cores", "--cores", "N", whole("--cores"), _("Processor cores of the host.") + " [8]"),
        number("disk", "--disk", "RATE", quantity("--disk", "bytes/s"), _("How fast it reads files.") + " [2 GB/s]"),
        number(
            "display",
            "--display",
            "RATE",
            quantity("--display", "bytes/s"),
            _("What screens take of the cable, for example '12.5 Gbit/s' for 4K at 60 Hz."),
        ),
        number(
            "sharing",
            "--sharing",
            "N",
            whole("--sharing"),
            _("Devices on the same cable or controller, with this one."),
        ),
        parameters.option(
            "os",
            "--os",
            "|".join(SYSTEMS),
            _("System of the host; Windows keeps part of a card's memory.") + " [linux]",
            one_of("--os", SYSTEMS),
        ),
        number(
            "resident_rate",
            "--resident-rate",
            "N",
            positive("--resident-rate"),
            _("Samples/s measured on one such device with synthetic input; replaces the forecast of its own work."),
        ),
    ]


def taken(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options of the host out of ``options``; only those that were given."""
    found = {name: options.pop(name, None) for name in NAMES}
    return {name: value for name, value in found.items() if value is not None}


def places(names: "Iterable[str | Place]", stated: dict[str, Any]) -> "list[Place]":
    """The places of those names, with what was stated of the host."""
    from outboard import api

    found = [api.find_place(name) for name in names]
    if not stated:
        return found
    rate = stated.get("resident_rate")
    return [replace(place, host=_side(stated), resident_rate=rate) for place in found]


def _side(stated: dict[str, Any]) -> "HostSide":
    from outboard.types.evidence import Evidence, Fact
    from outboard.types.hardware import HostSide

    units = {"cores": "1", "disk": "B/s"}
    facts = {
        name: Fact(float(stated[name]), unit, SAID, Evidence.MEASURED_HERE)
        for name, unit in units.items()
        if name in stated
    }
    rest = {name: stated[name] for name in ("display", "sharing") if name in stated}
    return HostSide(**facts, **rest, system=stated.get("os", ""))
