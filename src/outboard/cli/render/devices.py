"""Devices as a table, and the orders it can be put in."""

from collections.abc import Callable, Sequence
from typing import Any

from rich.table import Table

from outboard.cli.output import show
from outboard.cli.render import numbers
from outboard.i18n import _
from outboard.types.evidence import Fact
from outboard.types.hardware import Device


def order(name: str) -> Callable[[Device], Any]:
    """A sort key that puts the best first and unknown values last."""
    if name == "name":
        return lambda device: device.id
    if name == "released":
        return lambda device: [-ord(letter) for letter in device.released]
    return lambda device: (-_value(_fact(device, name)), device.id)


def _fact(device: Device, name: str) -> Fact | None:
    match name:
        case "memory":
            return device.memory
        case "bandwidth":
            return device.memory_bandwidth
        case "power":
            return device.tdp
        case "price":
            return device.launch_price
        case "fp32":
            return device.vector.get("fp32")
        case _:
            return device.matmul.get(name) or device.vector.get(name)


def _value(fact: Fact | None) -> float:
    return -1.0 if fact is None else fact.value


def render(found: Sequence[Device], limit: int | None) -> None:
    """Print the first ``limit`` devices, or all of them."""
    shown = found[:limit]
    if not shown:
        show(_("No device matches."))
        return
    hidden = _("Shown {shown} of {count} (--limit). Rates are dense, with fp32 accumulation; sources: --json.")
    show(_heading(found), "", _table(shown), "", hidden.format(shown=len(shown), count=len(found)))


def _heading(found: Sequence[Device]) -> str:
    return _("{count} devices match.").format(count=len(found)) if len(found) != 1 else _("1 device matches.")


def _table(devices: Sequence[Device]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(_("device"), overflow="fold")
    for title in (_("memory"), _("bandwidth"), "fp32", "fp16", "bf16", _("power"), _("price")):
        table.add_column(title, justify="right")
    for device in devices:
        table.add_row(device.id, *_row(device))
    return table


def _row(device: Device) -> list[str]:
    names = ("memory", "bandwidth", "fp32", "fp16", "bf16", "power")
    price = device.launch_price
    return [
        *(_short(_fact(device, name)) for name in names),
        "" if price is None else f"{numbers.plain(price.value)} $",
    ]


def _short(fact: Fact | None) -> str:
    """Rates without "FLOP/s", which the last line explains, so that a row fits in 80 columns."""
    return numbers.fact(fact).replace("FLOP/s", "")
