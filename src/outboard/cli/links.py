"""``outboard links``: the ways a GPU can hang on a computer, and what they carry."""

import typer

from outboard.cli import choices, output, parameters
from outboard.i18n import _

ORDERS = ("speed", "latency", "name")


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    sort = choices.one_of("--sort", ORDERS)
    given = [
        parameters.argument("name", "NAME", _("Only links whose name or kind contains this."), required=False),
        parameters.option("sort", "--sort", "|".join(ORDERS), _("Best first by this.") + " [speed]", sort),
        parameters.limit(0),
    ]
    parameters.command(app, "links", run, _("Links between GPU and computer, with measured rates."), given)


def run(name: str | None, sort: str | None, limit: int | None, as_json: bool) -> int:
    """Print the links that match; 1 when none does."""
    from outboard import catalog
    from outboard.cli.render import links as page

    wanted = (name or "").casefold()
    found = [link for link in catalog.links() if wanted in f"{link.id} {link.name} {link.kind}".casefold()]
    found.sort(key=page.ORDER[sort or "speed"])
    if as_json:
        from outboard.schema import documents

        output.write_json([documents.plain(link) for link in found])
    else:
        page.render(found, output.rows(limit, 0) or None)
    return int(not found)
