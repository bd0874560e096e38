"""``outboard estimate``: whether a job fits at a place, and how fast it is there."""

from typing import TYPE_CHECKING, Any

import typer

from outboard.cli import estimate_serve, host_options, language, options, output, parameters
from outboard.cli.choices import quantity
from outboard.cli.estimate_limits import answer, limit_options, one_of_them, taken
from outboard.cli.estimate_serve import serve_options
from outboard.errors import UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.planner.remedies import Remedy
    from outboard.types.estimate import Estimate


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        options.workload_argument(),
        parameters.option("on", "--on", "PLACE", _("Where: GPU[xN][@LINK], for example rtx-3060-12gb@tb3.")),
        *options.job_options(),
        *host_options.host_options(),
        parameters.flag(
            "make_it_fit", "--make-it-fit", _("Every change that saves memory, with what it costs in time.")
        ),
        parameters.flag(
            "faster",
            "--faster",
            _("Whether the link is the problem, and every change that makes it faster, by its gain."),
        ),
        *limit_options(),
        *serve_options(),
        parameters.option(
            "ram",
            "--ram",
            "SIZE",
            _("Memory of the host, for example '32 GB'; without it only what the job needs there is said."),
            quantity("--ram", "bytes"),
        ),
        parameters.option(
            "chart", "--chart", "FILE.svg|png", _("Draw the rate against the link, and the lanes of some steps.")
        ),
        parameters.flag("explain", "--explain", _("Show every term: formula, inputs, source, evidence.")),
    ]
    parameters.command(app, "estimate", run, _("Fit, largest safe batch, step time and where it goes."), given)


def run(
    workload: str,
    on: str | None,
    explain: bool,
    make_it_fit: bool,
    faster: bool,
    chart: str | None,
    ram: float | None,
    as_json: bool,
    **job: Any,
) -> int:
    """Forecast and print; 1 when it does not fit."""
    if on is None:
        message = _("say where with --on PLACE, or see every GPU with: outboard compare {workload} --all")
        raise UsageError(message.format(workload=workload))
    service = estimate_serve.taken(job)
    if job.get("task") == "serve":
        flags = {"make_it_fit": make_it_fit, "faster": faster, "chart": chart, "ram": ram}
        return estimate_serve.run(workload, on, {**job, **flags}, service, as_json)
    limit = taken(job)
    asked = [*(["make_it_fit"] if make_it_fit else []), *(["faster"] if faster else []), *([limit[0]] if limit else [])]
    if len(asked) > 1:
        raise UsageError(one_of_them(asked))
    if limit is not None:
        return answer(*limit, workload, on, job, as_json)
    if chart is not None:
        from outboard.cli import estimate_chart

        estimate_chart.run(workload, on, job, chart)
    if faster:
        from outboard.cli import estimate_faster

        return estimate_faster.run(workload, on, job, as_json)
    with options.recording(workload), language.english(as_json):
        result, changes = _forecast(workload, on, job, make_it_fit, ram)
    if as_json:
        from outboard.schema import documents

        document = documents.estimate(result, tree=explain)
        if make_it_fit:
            document["remedies"] = [_plain(remedy) for remedy in changes]
        output.write_json(document)
    else:
        from outboard.cli.render.estimate import render

        for warning in result.warnings:
            output.warn(warning)
        render(result, explain, changes if make_it_fit else None)
    return int(result.verdict == "does_not_fit")


def _forecast(
    workload: str, on: str, job: dict[str, Any], changes: bool, ram: float | None
) -> "tuple[Estimate, tuple[Remedy, ...]]":
    from outboard import api

    [where] = host_options.places([on], host_options.taken(job))
    if not changes:
        return api.estimate(workload, where, ram=ram, **options.given(job)), ()
    from outboard import tracing
    from outboard.perf.estimate import estimate
    from outboard.planner import remedies

    asked, recorded = api.prepare(workload, **options.given(job))
    result = estimate(asked, recorded, where, ram)
    return result, remedies(asked, recorded, where, result.batch, tracing.trace, everything=True)


def _plain(remedy: "Remedy") -> dict[str, Any]:
    return {
        "name": remedy.name,
        "text": remedy.text,
        "saved_bytes": remedy.saved,
        "slowdown": remedy.slowdown,
        "fits": remedy.fits,
    }
