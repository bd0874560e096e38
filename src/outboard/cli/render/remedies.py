"""The changes that would make a job fit, as a table."""

from collections.abc import Sequence

from rich.table import Table

from outboard.cli.render import numbers
from outboard.i18n import _
from outboard.planner.remedies import Remedy


def table(found: Sequence[Remedy]) -> Table:
    """One row for each change: the memory it saves, what a sample then takes, and whether it is enough."""
    drawn = Table(box=None, pad_edge=False)
    drawn.add_column(_("change"), overflow="fold", max_width=48)
    drawn.add_column(_("saves"), justify="right")
    drawn.add_column(_("time"), justify="right")
    drawn.add_column("")
    for remedy in found:
        enough = _("fits") if remedy.fits else _("not enough alone")
        drawn.add_row(remedy.text, numbers.quantity(remedy.saved, "B"), f"×{remedy.slowdown:.2f}", enough)
    return drawn
