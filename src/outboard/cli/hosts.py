"""``outboard hosts``: families of computers, their ports and what is known to go wrong with them."""

import typer

from outboard.cli import output, parameters
from outboard.i18n import _


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [parameters.argument("name", "NAME", _("Only hosts whose name or models contain this."), required=False)]
    parameters.command(app, "hosts", run, _("Computers, with the links that their ports offer."), given)


def run(name: str | None, as_json: bool) -> int:
    """Print the hosts that match; 1 when none does."""
    from outboard import catalog

    wanted = (name or "").casefold()
    found = [host for host in catalog.hosts() if wanted in f"{host.id} {host.name} {host.models}".casefold()]
    if as_json:
        from outboard.schema import documents

        output.write_json([documents.plain(host) for host in found])
    else:
        from outboard.cli.render.hosts import render

        render(found, in_full=len(found) == 1)
    return int(not found)
