"""``outboard plan``: where to run a job or several, for how much, how soon, how sure."""

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outboard.cli import language, output, parameters
from outboard.cli.choices import one_of
from outboard.errors import UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.planner.answer import Answer

SHOWN = 10
GOALS = ("cheapest", "soonest", "balanced")
USUAL = Path("me.yaml")


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        _jobs(),
        parameters.option("situation", "--situation", "ME.yaml", _("Your circumstances.") + " [me.yaml]"),
        parameters.option(
            "goal", "--goal", "|".join(GOALS), _("What to prefer, before the situation."), one_of("--goal", GOALS)
        ),
        parameters.limit(SHOWN),
        parameters.option("report", "--report", "FILE.html", _("Write a report in one file, to read or print.")),
        parameters.option("plot", "--plot", "FILE.svg|png", _("Draw cost over time, the front and what matters.")),
    ]
    parameters.command(app, "plan", run, _("Where to run jobs: cost, time, break-even, the best combination."), given)


def _jobs() -> inspect.Parameter:
    info = typer.Argument(metavar="JOB.yaml...", help=_("One job or several."), show_default=False)
    return inspect.Parameter("jobs", inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[list[str], info])


def run(
    jobs: list[str],
    situation: str | None,
    goal: str | None,
    limit: int | None,
    report: str | None,
    plot: str | None,
    as_json: bool,
) -> int:
    """Plan and print; 1 when a job has no feasible place."""
    _check_files(report, plot)
    with output.waiting(_("Comparing places")), language.english(as_json):
        answer = _answer(jobs, situation, goal)
    if as_json:
        from outboard.planner.document import document

        output.write_json(document(answer.plans, answer.portfolio))
    else:
        from outboard.cli.render.plan import render

        render(answer, output.rows(limit, SHOWN))
    if report or plot:
        _write(answer, report, plot)
    return int(any(plan.recommendation.id is None for plan in answer.plans))


def _answer(jobs: list[str], situation: str | None, goal: str | None) -> "Answer":
    from outboard.planner.answer import answer

    return answer(jobs, situation or (USUAL if USUAL.is_file() else None), goal)


def _check_files(report: str | None, plot: str | None) -> None:
    """Refuse before the work what cannot be written after it."""
    for flag, name, endings in (("--report", report, (".html",)), ("--plot", plot, (".svg", ".png"))):
        if name is None:
            continue
        if not name.lower().endswith(endings):
            message = _("{flag} must end in {endings}, not '{name}'")
            raise UsageError(message.format(flag=flag, endings=_(" or ").join(endings), name=name))
        if not Path(name).parent.is_dir():
            raise UsageError(_("{flag}: there is no folder {folder}").format(flag=flag, folder=Path(name).parent))


def _write(answer: "Answer", report: str | None, plot: str | None) -> None:
    from outboard.planner import report as reports

    if report:
        reports.write_html(answer, Path(report))
    if plot:
        reports.write_plot(answer, Path(plot))
