"""``outboard runs``: every run, how far it is, what it has cost, and how its forecast stands."""

import typer

from outboard.cli import output, parameters
from outboard.i18n import _

SHOWN = 10


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        parameters.argument("run", "RUN", _("One of them, by id or name; without one, all."), required=False),
        parameters.flag("every", "--all", _("Also those that were over long ago.")),
        parameters.option("forget", "--forget", "RUN", _("Remove a run that is over, and its folder.")),
    ]
    parameters.command(app, "runs", show, _("Runs: state, progress, what is left, cost, forecast and measured."), given)


def show(run: str | None, every: bool, forget: str | None, as_json: bool) -> int:
    """Look at all of them, print."""
    from outboard.cli.render import runs as render
    from outboard.running import look
    from outboard.store import Store

    store = Store()
    if forget is not None:
        return _forget(forget, as_json)
    known = store.runs() if run is None else [look.find(store, run)]
    with output.waiting(_("Asking the places")):
        found = look.every(store, known, output.warn)
    if as_json:
        output.write_json({"runs": [render.document(one) for one in found]})
        return 0
    shown = found if every or run else found[:SHOWN]
    render.table(shown, len(found) - len(shown))
    return 0


def _forget(name: str, as_json: bool) -> int:
    from outboard.running import look
    from outboard.running.forget import forget
    from outboard.store import Store

    store = Store()
    gone = forget(look.look(look.find(store, name), store), store)
    if as_json:
        output.write_json({"forgotten": gone.id})
    else:
        output.write(_("{run} is forgotten.").format(run=gone.id))
    return 0
