"""``outboard move``: a run goes on at another place."""

import sys

import typer

from outboard.cli import language, output, parameters
from outboard.errors import UsageError
from outboard.i18n import _


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        parameters.argument("run", "RUN", _("Id or name of a run.")),
        parameters.option("to", "--to", "WHERE", _("Where it goes: local, ssh:HOST, slurm, slurm:LOGIN; with =PLACE.")),
        parameters.option("situation", "--situation", "ME.yaml", _("Your circumstances.") + " [me.yaml]"),
        parameters.option("price", "--price", "PRICE/h", _("What an hour there costs, such as '0.40 EUR/h'.")),
        parameters.option("budget", "--budget", "AMOUNT", _("Stop it once it has cost so much in all.")),
        parameters.flag("dry_run", "--dry-run", _("Print exactly what would be executed, and move nothing.")),
        parameters.flag("yes", "--yes", _("Do not ask before moving.")),
    ]
    parameters.command(app, "move", move, _("Carry a run on at another place, with everything it has done."), given)


def move(
    run: str,
    to: str | None,
    situation: str | None,
    price: str | None,
    budget: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Show, ask, stop, copy, start."""
    from outboard.cli.render import run as render
    from outboard.cli.render import runs as runs_render
    from outboard.running import choose, look
    from outboard.running import move as moving
    from outboard.running.start import reread
    from outboard.store import Store

    if to is None:
        raise UsageError(_("say where: outboard move {run} --to ssh:HOST").format(run=run))
    store = Store()
    found = look.look(look.find(store, run), store)
    with language.english(as_json):
        choice = choose.choose(reread(found), to, situation)
        made = moving.prepared_move(found, choice, price, budget)
    if dry_run:
        output.write_json(render.document(made)) if as_json else output.write(made.script)
        return 0
    if not as_json:
        render.offer([made], [])
    if not yes and not _agreed(as_json):
        return 1
    moved = moving.move(found, made, store, (lambda text: None) if as_json else output.aside)
    if as_json:
        output.write_json({"runs": [runs_render.document(moved)]})
    else:
        output.write(_("{run} goes on at {place}.").format(run=moved.id, place=moved.where))
    return 0


def _agreed(as_json: bool) -> bool:
    if as_json or not sys.stdin.isatty():
        raise UsageError(_("nobody is there to be asked: add --yes to move, or --dry-run to see what would run"))
    print(_("Move it?") + " [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes", "s", "si", "sí")
