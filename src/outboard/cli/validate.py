"""``outboard validate``: forecasts held against a table of measurements."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from outboard.cli import language, output, parameters
from outboard.cli.choices import whole
from outboard.cli.progress import progress
from outboard.errors import UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.validation import Case, Prediction

SHOWN = 20
GROUP_BY = "task,gpu,precision,family"


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        parameters.argument(
            "table", "MEASUREMENTS.csv", _("A table of measurements; docs/validate.md has its columns.")
        ),
        parameters.option(
            "group_by", "--group-by", "COLUMNS", _("What to group the errors by.") + f" [{GROUP_BY}]", _columns
        ),
        parameters.option("sample", "--sample", "N", _("Only N rows, spread over the groups."), whole("--sample")),
        parameters.option("seed", "--seed", "S", _("Which N rows.") + " [0]", whole("--seed", lowest=0)),
        parameters.option("jobs", "--jobs", "N", _("Processes that record models.") + " [1]", whole("--jobs")),
        parameters.option("csv", "--csv", "OUT", _("Write one line per row into this file.")),
        parameters.limit(SHOWN),
    ]
    parameters.command(app, "validate", run, _("Forecast each row of a table of measurements: how far off?"), given)


def run(
    table: str,
    group_by: list[str] | None,
    sample: int | None,
    seed: int | None,
    jobs: int | None,
    csv: str | None,
    limit: int | None,
    as_json: bool,
) -> int:
    """Predict and print; 1 when no row at all is covered."""
    if csv is not None and not Path(csv).parent.is_dir():
        raise UsageError(_("{flag}: there is no folder {folder}").format(flag="--csv", folder=Path(csv).parent))
    by: list[str] = group_by or [*GROUP_BY.split(",")]
    with language.english(as_json):
        cases, count = _cases(table, sample, seed or 0)
        predictions = _predict(cases, jobs or 1)
        if csv is not None:
            from outboard.validation.document import write_csv

            write_csv(predictions, csv)
        _print(predictions, by, count, as_json, limit)
    return int(not any(one.covered for one in predictions))


def _print(predictions: "list[Prediction]", by: list[str], count: int, as_json: bool, limit: int | None) -> None:
    if as_json:
        from outboard.validation.document import document

        output.write_json(document(predictions, by, count))
    else:
        from outboard.cli.render.validation import render

        render(predictions, by, count, output.rows(limit, SHOWN))


def _columns(text: str) -> list[str]:
    from outboard.validation.groups import BY

    names = [name.strip().lower() for name in text.split(",") if name.strip()]
    wrong = next((name for name in names if name not in BY), None)
    if wrong is not None or not names:
        message = _("{flag} must be one of {values}, not '{value}'")
        raise UsageError(message.format(flag="--group-by", values=", ".join(BY), value=wrong or text))
    return list(dict.fromkeys(names))


def _cases(table: str, count: int | None, seed: int) -> "tuple[list[Case], int]":
    """The rows to predict, and how many the table has. Which are drawn does not depend on how they are grouped."""
    from outboard import validation
    from outboard.validation.table import ignored

    rows = validation.read(table)
    for name in ignored(table):
        output.warn(_("column {column} means nothing here and is left alone").format(column=name))
    cases = validation.prepare(rows)
    return (cases if count is None else validation.sample(cases, count, seed)), len(rows)


def _predict(cases: "list[Case]", processes: int) -> "list[Prediction]":
    from outboard import validation
    from outboard.validation.journal import Journal

    journal = Journal(language.code())
    finished = 0
    with progress(_("Forecasting"), len(cases)) as advance:

        def done(count: int) -> None:
            nonlocal finished
            finished += count
            advance(count)

        try:
            return validation.predict(cases, processes=processes, journal=journal, done=done, language=language.code())
        except KeyboardInterrupt:
            text = _("interrupted after {done} of {count} rows; the same command carries on from there")
            output.warn(text.format(done=finished, count=len(cases)))
            raise
