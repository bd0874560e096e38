"""``outboard run``: start a job where it should run, after saying what it will take."""

import inspect
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outboard.cli import language, output, parameters
from outboard.errors import UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.running.start import Prepared
    from outboard.types.run import Run

NO, YES = 1, 0


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    on = _("Where: local, ssh:HOST, slurm, slurm:LOGIN, each with =PLACE; or a PLACE of the plan.")
    given = [
        _jobs(),
        parameters.option("on", "--on", "WHERE", on + " [" + _("the plan's first place") + "]"),
        parameters.option("situation", "--situation", "ME.yaml", _("Your circumstances.") + " [me.yaml]"),
        parameters.flag("route", "--route", _("Send each job to the place that the best combination gives it.")),
        parameters.option("price", "--price", "PRICE/h", _("What an hour there costs, such as '0.40 EUR/h'.")),
        parameters.option("budget", "--budget", "AMOUNT", _("Stop the run once it has cost so much.")),
        parameters.repeated("fallback", "--fallback", "WHERE", _("Go on there when its GPU is lost; repeatable.")),
        parameters.flag("dry_run", "--dry-run", _("Print exactly what would be executed, and start nothing.")),
        parameters.flag("rehearse", "--rehearse", _("Try it here first: save, kill, resume, compare; go or no.")),
        parameters.flag("wait", "--wait", _("Stay until it is over; the exit status is that of the job.")),
        parameters.flag("yes", "--yes", _("Do not ask before starting.")),
    ]
    parameters.command(app, "run", run, _("Run a job at its best place, or where you say, and keep it going."), given)


def _jobs() -> inspect.Parameter:
    info = typer.Argument(metavar="JOB.yaml...", help=_("One job, or several with --route."), show_default=False)
    return inspect.Parameter("jobs", inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[list[str], info])


def run(jobs: list[str], as_json: bool, dry_run: bool, rehearse: bool, wait: bool, yes: bool, **said: Any) -> int:
    """Decide, show, ask, start."""
    with output.waiting(_("Choosing places")), language.english(as_json):
        made, left_out = _prepared(jobs, **said)
    if rehearse:
        return _rehearsed(made, as_json)
    if dry_run:
        return _shown(made, left_out, as_json)
    if not as_json:
        from outboard.cli.render import run as render

        render.offer(made, left_out)
    if not _agreed(made, yes, as_json):
        return NO
    started = _started(made, tuple(said["fallback"] or ()), wait, as_json)
    if as_json and not wait:
        _tell_json(started)
    status = _waited(started, as_json) if wait else YES
    return status or int(bool(left_out))


def _prepared(
    jobs: list[str],
    on: str | None,
    situation: str | None,
    route: bool,
    price: str | None,
    budget: str | None,
    fallback: list[str] | None,
) -> tuple["list[Prepared]", list[str]]:
    """What can be started, and a line for each job that cannot."""
    from outboard.running import asked, choose, where
    from outboard.running.quote import quote
    from outboard.running.route import route as routed
    from outboard.running.start import prepared

    if len(jobs) > 1 and not route:
        raise UsageError(_("several jobs need --route, which gives each its place"))
    if route and on is not None:
        raise UsageError(_("--route and --on contradict each other; keep one"))
    for each in fallback or ():
        where.executor(where.read(each))
    loaded = [asked.load(path) for path in jobs]
    if not route:
        choice = choose.choose(loaded[0], on, situation)
        return [prepared(loaded[0], choice, quote(loaded[0], choice, price), budget)], []
    found = routed(loaded, situation)
    ready = [(one.job, one.choice) for one in found if one.choice is not None]
    why_not = [f"{one.job.name}: {one.label} {one.why_not}" for one in found if one.choice is None]
    return [prepared(job, choice, quote(job, choice, price), budget) for job, choice in ready], why_not


def _rehearsed(made: "list[Prepared]", as_json: bool) -> int:
    from outboard.cli.render import run as render
    from outboard.running.rehearse import rehearse

    tell = (lambda text: None) if as_json else output.aside
    found = [(one.launch.name, rehearse(one, tell=tell)) for one in made]
    if as_json:
        output.write_json({"rehearsals": [render.rehearsal_document(name, one) for name, one in found]})
    else:
        for name, one in found:
            render.rehearsal(name, one)
    return int(not all(one.go for _name, one in found))


def _shown(made: "list[Prepared]", left_out: list[str], as_json: bool) -> int:
    from outboard.cli.render import run as render

    if as_json:
        output.write_json({"runs": [render.document(one) for one in made], "left_out": left_out})
        return int(bool(left_out))
    for one in made:
        output.write(one.script)
    for line in left_out:
        output.warn(line)
    return int(bool(left_out))


def _agreed(made: "list[Prepared]", yes: bool, as_json: bool) -> bool:
    """Whether to go on: a job that cannot fit is started only where that was said beforehand."""
    if yes:
        return bool(made)
    if not made:
        return False
    if any(one.quote.verdict == "does_not_fit" for one in made):
        output.warn(_("it does not fit, so it is not started; --yes starts it all the same"))
        return False
    if as_json or not sys.stdin.isatty():
        raise UsageError(_("nobody is there to be asked: add --yes to start, or --dry-run to see what would run"))
    print(_("Start?") + " [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes", "s", "si", "sí")


def _started(made: "list[Prepared]", fallback: tuple[str, ...], wait: bool, as_json: bool) -> "list[Run]":
    from outboard.running import watcher
    from outboard.running.start import begin
    from outboard.store import Store

    store, found = Store(), []
    for one in made:
        with output.waiting(_("Starting {name} at {place}").format(name=one.launch.name, place=one.choice.where.text)):
            run = begin(one, store, fallback)
        found.append(run)
        if fallback and not wait:
            watcher.detach(run, store)
        if not as_json:
            text = _("Started {run}. Follow it: outboard logs {run} -f")
            output.write(text.format(run=run.id))
    return found


def _waited(started: "list[Run]", as_json: bool) -> int:
    from outboard.cli.render import runs as render
    from outboard.running.watch import exit_status, watch
    from outboard.store import Store

    status, over = YES, []
    for run in started:
        line = render.Line(quiet=as_json)
        ended = watch(run, Store(), line.show, output.aside)
        line.done()
        over.append(ended)
        status = status or exit_status(ended)
    if as_json:
        _tell_json(over)
    else:
        render.table(over)
    return status


def _tell_json(runs: "list[Run]") -> None:
    from outboard.cli.render import runs as render

    output.write_json({"runs": [render.document(run) for run in runs]})
