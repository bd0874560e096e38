"""Devices as a table."""

from collections.abc import Sequence

from rich.table import Table

from outboard.cli.output import show
from outboard.cli.render import numbers
from outboard.i18n import _
from outboard.types.evidence import Fact
from outboard.types.hardware import Device


def render(found: Sequence[Device], limit: int | None) -> None:
    """Print the first ``limit`` devices, or all of them."""
    shown = found[:limit]
    if not shown:
        show(_("No device matches."))
        return
    hidden = _("Shown {shown} of {count} (--limit). FLOP/s dense, USD at launch; sources: --json.")
    show(_heading(found), "", _table(shown), "", hidden.format(shown=len(shown), count=len(found)))


def _heading(found: Sequence[Device]) -> str:
    return _("{count} devices match.").format(count=len(found)) if len(found) != 1 else _("1 device matches.")


def _table(devices: Sequence[Device]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(_("device"), overflow="fold", no_wrap=True)
    for title in (_("memory"), _("bandwidth"), "fp32", "fp16", _("power"), "USD"):
        table.add_column(title, justify="right", no_wrap=True)
    for device in devices:
        table.add_row(device.id, *_row(device))
    return table


def _row(device: Device) -> list[str]:
    fp16 = device.matmul.get("fp16") or device.vector.get("fp16")
    price = device.launch_price
    return [
        *map(numbers.fact, (device.memory, device.memory_bandwidth)),
        *map(_bare, (device.vector.get("fp32"), fp16)),
        numbers.fact(device.tdp),
        "" if price is None else numbers.plain(price.value),
    ]


def _bare(rate: Fact | None) -> str:
    """A rate without "FLOP/s", which the last line explains, so that a row fits in 80 columns."""
    return numbers.fact(rate).removesuffix("FLOP/s")
