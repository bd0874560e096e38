"""``outboard store``: what was measured here, out to a table and in from one. Nothing leaves the machine otherwise."""

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from outboard.cli import output, parameters
from outboard.errors import FileError, UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.types.measured import JobMeasurement

ACTIONS = ("export", "import")
OWN = ("id", "quantity", "value", "unit", "source", "note")


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        parameters.argument("action", "export|import", _("Write the measurements of jobs, or read such a table.")),
        parameters.argument("file", "FILE", _("A CSV in the columns of outboard validate."), required=False),
    ]
    parameters.command(app, "store", run, _("Measurements of jobs on this machine, as CSV."), given)


def run(action: str, file: str | None, as_json: bool) -> int:
    """Do the one or the other."""
    if action not in ACTIONS:
        message = _("unknown action '{action}'; write: outboard store export [FILE], or outboard store import FILE")
        raise UsageError(message.format(action=action))
    if action == "export":
        return _export(file, as_json)
    if file is None:
        raise UsageError(_("say which table: outboard store import FILE"))
    return _import(file, as_json)


def _export(file: str | None, as_json: bool) -> int:
    from outboard.store import Store, path

    found = Store().measurements()
    text = _table(found)
    if file is not None:
        try:
            Path(file).write_text(text, encoding="utf-8")
        except OSError as error:
            raise FileError(file, _("cannot be written: {reason}").format(reason=error.strerror)) from error
    if as_json:
        output.write_json({"measurements": len(found), "file": file, "store": str(path())})
    elif file is None:
        output.write(text)
    else:
        output.write(_("{count} measurements written to {file}.").format(count=len(found), file=file))
    return 0


def _table(found: "list[JobMeasurement]") -> str:
    columns = list(dict.fromkeys([*OWN, *(name for one in found for name in one.cells)]))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    for number, one in enumerate(found, 1):
        own = {"id": number, "quantity": one.quantity, "value": f"{one.value:.9g}", "unit": "s"}
        if one.quantity != "step_time":
            own["unit"] = "B"
        note = "" if one.forecast is None else f"forecast {one.forecast:.9g}"
        own |= {"source": f"outboard measure {one.date}", "note": note}
        writer.writerow(one.cells | own)
    return text.getvalue()


def _import(file: str, as_json: bool) -> int:
    from outboard import validation
    from outboard.measuring.recall import key
    from outboard.store import Store
    from outboard.types.measured import JobMeasurement

    checked = validation.read(file)  # every mistake of the table is told here
    with Path(file).open(encoding="utf-8-sig", newline="") as opened:
        rows = [
            {name.strip(): cell.strip() for name, cell in row.items() if name and cell and name.strip() not in OWN}
            for row in csv.DictReader(opened)
        ]
    told = [
        JobMeasurement("", row.get("gpu", ""), key(row), one.quantity, one.value, row)
        for one, row in zip(checked, rows, strict=True)
    ]
    new = Store().save_measurements(told)
    if as_json:
        output.write_json({"rows": len(told), "new": new})
    else:
        output.write(_("{new} of {rows} rows are new and were kept.").format(new=new, rows=len(told)))
    return 0
