"""``outboard estimate``: whether a job fits at a place, and how fast it is there."""

from typing import TYPE_CHECKING, Any

import typer

from outboard.cli import language, options, output, parameters
from outboard.errors import UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.types.estimate import Estimate


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        options.workload_argument(),
        parameters.option("on", "--on", "PLACE", _("Where: GPU[xN][@LINK], for example rtx-3060-12gb@tb3.")),
        *options.job_options(),
        parameters.flag("explain", "--explain", _("Show every term: formula, inputs, source, evidence.")),
    ]
    parameters.command(app, "estimate", run, _("Fit, largest safe batch, step time and where it goes."), given)


def run(workload: str, on: str | None, explain: bool, as_json: bool, **job: Any) -> int:
    """Forecast and print; 1 when it does not fit."""
    if on is None:
        message = _("say where with --on PLACE, or see every GPU with: outboard compare {workload} --all")
        raise UsageError(message.format(workload=workload))
    with options.recording(workload), language.english(as_json):
        result = _forecast(workload, on, job)
    if as_json:
        from outboard.schema import documents

        output.write_json(documents.estimate(result, tree=explain))
    else:
        from outboard.cli.render.estimate import render

        for warning in result.warnings:
            output.warn(warning)
        render(result, explain)
    return int(result.verdict == "does_not_fit")


def _forecast(workload: str, on: str, job: dict[str, Any]) -> "Estimate":
    from outboard import api

    return api.estimate(workload, on, **options.given(job))
