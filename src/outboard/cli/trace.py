"""``outboard trace``: record one step of a job, to forecast it elsewhere without the model."""

from typing import Any

import typer

from outboard.cli import language, options, output, parameters
from outboard.i18n import _


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        options.workload_argument(),
        parameters.option("out", "-o", "FILE", _("Where to write the trace; without it, only describe it.")),
        *options.job_options(),
    ]
    parameters.command(app, "trace", run, _("Record one step of a job; estimate and compare read the file."), given)


def run(workload: str, out: str | None, as_json: bool, **job: Any) -> int:
    """Trace, save and describe."""
    from outboard import api

    with options.recording(workload), language.english(as_json):
        recorded = api.prepare(workload, **options.given(job))[1]
    if out is not None:
        api.save_trace(recorded, out)
    if as_json:
        from outboard.schema import documents

        output.write_json(documents.trace(recorded, out))
        return 0
    for warning in recorded.info.warnings:
        output.warn(warning)
    from outboard import tracing

    output.write(tracing.summary(recorded))
    output.write(
        _("Written to {file}.").format(file=out) if out else _("Nothing was written; name a file with -o FILE.")
    )
    return 0
