"""``outboard compare``: the same job at several places, or on every GPU of our own tables."""

from typing import TYPE_CHECKING, Any

import typer

from outboard.cli import host_options, language, options, output, parameters
from outboard.errors import UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.types.estimate import Estimate

SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        options.workload_argument(),
        parameters.repeated("on", "--on", "PLACE", _("A place, GPU[xN][@LINK]; give it once for each.")),
        parameters.flag("every", "--all", _("Every GPU of our own tables, each on its usual link.")),
        parameters.limit(SHOWN),
        *options.job_options(),
        *host_options.host_options(),
    ]
    parameters.command(app, "compare", run, _("The same job at several places, fastest first."), given)


def run(workload: str, on: list[str] | None, every: bool, limit: int | None, as_json: bool, **job: Any) -> int:
    """Forecast each place and print; 1 when it fits nowhere."""
    if bool(on) == every:
        raise UsageError(_("say where with --on PLACE, once for each place, or with --all"))
    with options.recording(workload), language.english(as_json):
        results = _forecast(workload, on, job)
    if as_json:
        from outboard.schema import documents

        output.write_json(documents.compare(results))
    else:
        from outboard.cli.render.compare import render

        render(results, output.rows(limit, len(on) if on else SHOWN))
    return int(all(result.verdict == "does_not_fit" for result in results))


def _forecast(workload: str, on: list[str] | None, job: dict[str, Any]) -> "list[Estimate]":
    from outboard import api

    stated = host_options.taken(job)
    if stated.pop("resident_rate", None) is not None:
        raise UsageError(_("--resident-rate was measured at one place; ask for it with: outboard estimate --on PLACE"))
    where = host_options.places(on or api.every_place(), stated)
    return api.compare(workload, where, **options.given(job))
