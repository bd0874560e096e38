"""Curves and lists: how far a job can grow at a place, and where or as what it still fits."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from outboard.cli.render import numbers
from outboard.i18n import _
from outboard.perf.memory.required import available
from outboard.units import format_bytes

if TYPE_CHECKING:
    from outboard.planner.curves import Point, Relative
    from outboard.types.hardware import Place


def curve(points: "Sequence[Point]", kind: str, place: "Place") -> tuple[str, Table]:
    """The largest size that fits, and the table of all."""
    fitting = [point.size for point in points if point.fits]
    what = _("batch") if kind == "batch" else _("tokens")
    size = _("none of these fits") if not fitting else _("fits up to {size}").format(size=fitting[-1])
    head = _("{place} has {available}; {what}: {size}").format(
        place=place.name, available=format_bytes(available(place)), what=what, size=size
    )
    table = _table(what, _("must be free"), "", "")
    for point in points:
        span = _("{low} to {high}").format(low=format_bytes(point.low), high=format_bytes(point.high))
        table.add_row(str(point.size), format_bytes(point.required), span, "" if point.fits else _("does not fit"))
    return head, table


def models(found: "Sequence[Relative]", place: str) -> tuple[str, Table]:
    """The largest model that fits, and all that were tried."""
    fitting = [one for one in found if one.fits]
    head = (
        _("Largest that fits on {place}: {workload}").format(place=place, workload=fitting[-1].workload)
        if fitting
        else _("None of them fits on {place}").format(place=place)
    )
    table = _table(_("model"), _("parameters"), _("must be free"), "")
    for one in found:
        table.add_row(
            one.workload,
            f"{numbers.plain(one.parameters / 1e9)} B",
            format_bytes(one.required),
            "" if one.fits else _("does not fit"),
        )
    return head, table


def devices(found: "Sequence[Place]", batch: int) -> Table | str:
    """The devices with the least memory on which a job fits."""
    if not found:
        return _("It fits on no single GPU of the catalogue at batch {batch}.").format(batch=batch)
    table = _table(_("place"), _("memory"), "", "")
    for place in found:
        table.add_row(place.name, format_bytes(place.device.memory.value), "", "")
    return table


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(titles[0])
    table.add_column(titles[1], justify="right")
    for title in titles[2:]:
        table.add_column(title)
    return table
