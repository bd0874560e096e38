"""Hosts as a table; one host alone with all that is known about it."""

from collections.abc import Sequence

from rich.table import Table

from outboard.cli.output import show
from outboard.i18n import _
from outboard.types.hardware import Host


def render(found: Sequence[Host], in_full: bool) -> None:
    """Print ``found``."""
    if not found:
        show(_("No host matches."))
    elif in_full:
        show(found[0].name, "", _sheet(found[0]))
    else:
        heading = _("{count} families of hosts.").format(count=len(found))
        hidden = _("Hidden: models, notes and known issues; see one with: outboard hosts NAME")
        show(heading, "", _table(found), "", hidden)


def _table(hosts: Sequence[Host]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(_("host"), overflow="fold")
    table.add_column(_("links"), overflow="fold")
    table.add_column(_("hot plug"), overflow="fold")
    for host in hosts:
        table.add_row(host.id, ", ".join(host.links), host.hotplug)
    return table


def _sheet(host: Host) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    rows = {
        _("host"): host.id,
        _("models"): host.models,
        _("ports"): host.ports,
        _("links"): ", ".join(host.links),
        _("hot plug"): host.hotplug,
        _("operating systems"): host.os_notes,
        _("known issue"): host.known_issue,
        _("confidence"): host.confidence,
        _("source"): host.source,
    }
    for title, text in rows.items():
        if text:
            table.add_row(title, text)
    return table
