"""What would make a job faster, as a table, with the line of code below each."""

from typing import TYPE_CHECKING

from rich.table import Table

from outboard.cli.output import show
from outboard.cli.render import numbers
from outboard.i18n import _

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outboard.planner.faster import Faster, Start


def render(verdict: str, found: "Sequence[Faster]", begun: "Start") -> None:
    """Print the verdict on the link, the changes with their gains, and what a start costs."""
    show(verdict)
    show("", table(found) if found else _("Nothing is known that would make it faster here."), "")
    show(_start(begun))


def table(found: "Sequence[Faster]") -> Table:
    """One row for each change, largest gain first, and what does it below."""
    drawn = Table(box=None, pad_edge=False, show_edge=False)
    drawn.add_column(_("gain"), justify="right")
    drawn.add_column(_("change, why, and what does it"), overflow="fold")
    for one in found:
        note = "" if one.fits else " (" + _("does not fit") + ")"
        drawn.add_row(f"{one.gain:+.0%}", one.text + note, style="bold")
        if one.why:
            drawn.add_row("", one.why)
        if one.code:
            drawn.add_row("", one.code, style="dim")
    return drawn


def _start(begun: "Start") -> str:
    form = _("Start: {size} of weights take {slow} from pageable memory, {fast} from pinned; first step after {first}.")
    return form.format(
        size=numbers.quantity(begun.weights, "B"),
        slow=numbers.quantity(begun.load_pageable, "s"),
        fast=numbers.quantity(begun.load_pinned, "s"),
        first=numbers.quantity(begun.first_step, "s"),
    )
