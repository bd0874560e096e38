"""``outboard stop``: let runs save and end."""

import inspect
from typing import Annotated

import typer

from outboard.cli import output, parameters
from outboard.errors import UsageError
from outboard.i18n import _


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [several(), parameters.flag("now", "--now", _("End it at once, without letting it save."))]
    parameters.command(app, "stop", stop, _("Stop runs; each saves first, and can be carried on."), given)


def several() -> inspect.Parameter:
    """The runs that a command is about."""
    info = typer.Argument(metavar="RUN...", help=_("Ids or names of runs."), show_default=False)
    return inspect.Parameter("runs", inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[list[str], info])


def stop(runs: list[str], now: bool, as_json: bool) -> int:
    """Leave the wish with each; it ends a little later."""
    from outboard.running import look, where
    from outboard.store import Store
    from outboard.types.run import OVER

    store = Store()
    found = [look.look(look.find(store, name), store) for name in runs]
    for run in found:
        if run.state in OVER:
            raise UsageError(_("{run} is over already: {state}").format(run=run.id, state=run.state))
        where.executor(where.read(run.where)).stop(run.folder, run.reference, now)
        if not as_json:
            text = _("{run} is ending now.") if now else _("{run} is asked to save and end.")
            output.write(text.format(run=run.id))
    if as_json:
        output.write_json({"stopping": [run.id for run in found], "now": now})
    return 0
