"""What a log shows: the verdict, each symptom with its first line, the cause and how sure it is, and the cure."""

from rich.table import Table
from rich.text import Text

from outboard.cli.output import show
from outboard.compat import Diagnosis, Seen
from outboard.i18n import _

LINES = 3
LONGEST = 200  # figures of a log line that are shown


def render(found: Diagnosis, explain: bool) -> None:
    """Print what was found."""
    from outboard.cli.render.doctor import cure, origin

    show(_opening(found))
    for one in found.symptoms:
        kind = one.symptom
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        table.add_row(_("fault") if kind.fault else _("no fault"), Text(_(kind.what), "bold"))
        for number, text in one.lines[: None if explain else LINES]:
            table.add_row("", Text(f"{number}: {text[:LONGEST]}", "dim"))
        if not explain and len(one.lines) > LINES:
            more = _("and {count} more lines (--explain)").format(count=len(one.lines) - LINES)
            table.add_row("", Text(more, "dim"))
        table.add_row("", _("Cause, {sure}: {cause}").format(sure=_sure(kind.sure), cause=_(kind.cause)))
        table.add_row("", cure(_(kind.cure), _(kind.risk) if kind.risk else ""))
        table.add_row("", origin(kind.source, kind.confidence, explain, kind.id))
        show("", table)


def _opening(found: Diagnosis) -> str:
    faults: tuple[Seen, ...] = found.faults
    if not found.symptoms:
        return _("Nothing that is known to be wrong stands in these {count} lines.").format(count=found.count)
    if not faults:
        return _("No fault in these {count} lines; what looks like one is none.").format(count=found.count)
    if len(faults) == 1:
        return _("A fault in these {count} lines: {what}").format(count=found.count, what=_(faults[0].symptom.what))
    form = _("{faults} faults in these {count} lines, the first: {what}")
    return form.format(faults=len(faults), count=found.count, what=_(faults[0].symptom.what))


def _sure(name: str) -> str:
    return {"certain": _("certain"), "likely": _("likely"), "possible": _("possible")}[name]
