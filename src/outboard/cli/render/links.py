"""Links as a table, and the orders it can be put in."""

from collections.abc import Callable, Sequence
from typing import Any

from rich.table import Table

from outboard.cli.output import show
from outboard.cli.render import numbers, words
from outboard.i18n import _
from outboard.types.hardware import Link

ORDER: dict[str, Callable[[Link], Any]] = {
    "speed": lambda link: (-link.h2d.value, link.id),
    "latency": lambda link: (link.latency.value, link.id),
    "name": lambda link: link.id,
}


def render(found: Sequence[Link], limit: int | None) -> None:
    """Print the first ``limit`` links, or all of them."""
    shown = found[:limit]
    if not shown:
        show(_("No link matches."))
        return
    heading = _("{count} links, fastest copy to the device first.").format(count=len(found))
    hidden = _("Shown {shown} of {count}; rates of pinned copies under load; notes and sources: --json.")
    show(heading, "", _table(shown), "", hidden.format(shown=len(shown), count=len(found)))


def _table(links: Sequence[Link]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(_("link"), no_wrap=True)
    for title in (_("to device"), _("to host"), _("latency")):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column(_("evidence"))
    table.add_column(_("hot plug"), overflow="fold")
    for link in links:
        table.add_row(
            link.id,
            *map(numbers.fact, (link.h2d, link.d2h, link.latency)),
            words.short_evidence(link.h2d.evidence.label),
            link.hotplug,
        )
    return table
