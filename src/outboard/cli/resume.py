"""``outboard resume``: carry on runs that were stopped, or that died."""

import inspect
from typing import Annotated

import typer

from outboard.cli import output, parameters
from outboard.errors import UsageError
from outboard.i18n import _


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    dead = _("Every run that died, after a reboot for example: made for crontab's @reboot.")
    given = [
        _runs(),
        parameters.flag("dead", "--dead", dead),
        parameters.option("budget", "--budget", "AMOUNT", _("Stop it once it has cost so much in all.")),
    ]
    parameters.command(app, "resume", resume, _("Carry runs on from their last good checkpoint."), given)


def _runs() -> inspect.Parameter:
    info = typer.Argument(metavar="[RUN...]", help=_("Ids or names of runs."), show_default=False)
    kind = Annotated[list[str] | None, info]
    return inspect.Parameter("runs", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)


def resume(runs: list[str] | None, dead: bool, budget: str | None, as_json: bool) -> int:
    """Start each anew at its place."""
    from outboard.running import again, look
    from outboard.store import Store

    if bool(runs) == dead:
        raise UsageError(_("say which: outboard resume RUN, or outboard resume --dead"))
    store = Store()
    if runs:
        wanted = [look.find(store, name) for name in runs]
    else:
        wanted = [run for run in look.every(store, tell=output.warn) if run.state == "dead"]
    found = [again.resume(run, store, budget) for run in wanted]
    if as_json:
        from outboard.cli.render import runs as render

        output.write_json({"runs": [render.document(run) for run in found]})
    elif not found:
        output.write(_("No run is dead."))
    for run in found if not as_json else ():
        output.write(_("{run} goes on at {place}.").format(run=run.id, place=run.where))
    return 0
