"""``outboard estimate``: whether a job fits at a place, and how fast it is there."""

from typing import TYPE_CHECKING, Any

import typer

from outboard.cli import host_options, language, options, output, parameters
from outboard.errors import UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.planner.limits import Longest
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
        parameters.flag("max_batch", "--max-batch", _("Only the largest batch that fits.")),
        parameters.flag(
            "max_seq_len", "--max-seq-len", _("Only the longest sequence that fits at this batch, or at 1.")
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
    max_batch: bool,
    max_seq_len: bool,
    as_json: bool,
    **job: Any,
) -> int:
    """Forecast and print; 1 when it does not fit."""
    if on is None:
        message = _("say where with --on PLACE, or see every GPU with: outboard compare {workload} --all")
        raise UsageError(message.format(workload=workload))
    if make_it_fit + faster + max_batch + max_seq_len > 1:
        raise UsageError(_("choose one of --make-it-fit, --faster, --max-batch and --max-seq-len"))
    if chart is not None:
        from outboard.cli import estimate_chart

        estimate_chart.run(workload, on, job, chart)
    if faster:
        from outboard.cli import estimate_faster

        return estimate_faster.run(workload, on, job, as_json)
    if max_seq_len:
        return _longest(workload, on, job, as_json)
    with options.recording(workload), language.english(as_json):
        result, changes = _forecast(workload, on, job, make_it_fit)
    if max_batch:
        return _largest(result, as_json)
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


def _forecast(workload: str, on: str, job: dict[str, Any], changes: bool) -> "tuple[Estimate, tuple[Remedy, ...]]":
    from outboard import api

    [where] = host_options.places([on], host_options.taken(job))
    if not changes:
        return api.estimate(workload, where, **options.given(job)), ()
    from outboard import tracing
    from outboard.perf.estimate import estimate
    from outboard.planner import remedies

    asked, recorded = api.prepare(workload, **options.given(job))
    result = estimate(asked, recorded, where)
    return result, remedies(asked, recorded, where, result.batch, tracing.trace, everything=True)


def _plain(remedy: "Remedy") -> dict[str, Any]:
    return {
        "name": remedy.name,
        "text": remedy.text,
        "saved_bytes": remedy.saved,
        "slowdown": remedy.slowdown,
        "fits": remedy.fits,
    }


def _largest(result: "Estimate", as_json: bool) -> int:
    batch = result.safe_max_batch
    if as_json:
        output.write_json({"place": result.place, "max_batch": batch})
    else:
        output.write(_("unknown") if batch is None else str(batch))
    return int(not batch)


def _longest(workload: str, on: str, job: dict[str, Any], as_json: bool) -> int:
    from outboard import api, tracing
    from outboard.planner.limits import longest_sequence

    [where] = host_options.places([on], host_options.taken(job))
    with options.recording(workload), language.english(as_json):
        asked, recorded = api.prepare(workload, **options.given(job))
        if recorded.info.seq_len is None:
            raise UsageError(_("{workload} reads no sequences; leave --max-seq-len out").format(workload=workload))
        batch = asked.batch_size if isinstance(asked.batch_size, int) else 1
        found = longest_sequence(asked, recorded, where, batch, tracing.trace)
    if as_json:
        output.write_json({"place": where.name, "batch": batch, "max_seq_len": found.tokens, "bounded": found.bounded})
    else:
        output.write(_sentence(found, batch))
    return int(found.tokens == 0)


def _sentence(found: "Longest", batch: int) -> str:
    form = _("{tokens} tokens at batch {batch}; the model takes no longer ones") if found.bounded else None
    return (form or _("{tokens} tokens at batch {batch}")).format(tokens=found.tokens, batch=batch)
