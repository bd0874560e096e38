"""``outboard schema``: the JSON Schema of what commands print and of files that people write."""

import typer

from outboard.cli import output, parameters
from outboard.i18n import _


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [parameters.argument("name", "NAME", _("The document; without it, list them."), required=False)]
    parameters.command(app, "schema", run, _("JSON Schema of a command's output, or of a job file."), given)


def run(name: str | None, as_json: bool) -> int:
    """Print one schema, which is JSON already, or the names of all."""
    from outboard import schema

    if name is not None:
        output.write_json(schema.load(name))
    elif as_json:
        output.write_json(schema.names())
    else:
        output.write("\n".join(schema.names()))
    return 0
