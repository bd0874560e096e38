"""Reads a table of measurements. A bad file is one error that names line, column, value and what would be right."""

import csv
import difflib
import math
from collections.abc import Sequence
from pathlib import Path

from outboard.errors import FileError
from outboard.i18n import _
from outboard.validation.columns import EMPTY, KNOWN, OPEN, OPTIONAL, REQUIRED, TELLING, WHOLE, WORDS
from outboard.validation.measurement import Measurement
from outboard.validation.quantities import UNITS, find_unit, quantity_of, usual_unit

DELIMITERS = ",;\t"
LONGEST = 200  # letters in the name of a workload or a GPU; file systems end at 255


def read(path: str | Path) -> list[Measurement]:
    """All rows of a CSV, in their order. Columns that are not known are left alone; see :func:`ignored`.

    Raises :class:`~outboard.errors.FileError` for the first thing that is wrong.
    """
    heading, rows = _split(path)
    _check_heading(path, heading)
    found = [_measurement(Line(path, number, dict(zip(heading, cells, strict=True)))) for number, cells in rows]
    if not found:
        raise FileError(path, _("holds no measurement: the heading is all there is"), right=_example())
    return found


def ignored(path: str | Path) -> list[str]:
    """Columns of the file that mean nothing here."""
    return [name for name in _split(path)[0] if name and name not in KNOWN]


class Line:
    """One line of the file, able to say what is wrong with it."""

    def __init__(self, path: str | Path, number: int, cells: dict[str, str]) -> None:
        self.path = path
        self.number = number
        self.cells = cells

    def text(self, column: str) -> str:
        """The cell, empty where the column is missing."""
        text = self.cells.get(column, "").strip()
        return "" if text.lower() in EMPTY else text

    def wrong(self, column: str, problem: str, right: str) -> FileError:
        """What is wrong with a cell."""
        return FileError(self.path, problem, _("line {line}, {column}").format(line=self.number, column=column), right)

    def whole(self, column: str) -> int | None:
        """A whole number from 1, None for an empty cell."""
        text = self.text(column)
        if not text or (column == "batch_size" and text.lower() == "auto"):
            return None
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not number.is_integer() or number < 1:
            problem = _("'{value}' is not a whole number from 1").format(value=text)
            raise self.wrong(column, problem, _("leave it empty for the usual one"))
        return int(number)

    def word(self, column: str) -> str:
        """A word of a closed list, its synonyms turned into it; empty for an empty cell."""
        text = self.text(column)
        found = WORDS[column].get(text.lower())
        if text and found is None:
            problem = _("'{value}' is not known there").format(value=text)
            raise self.wrong(column, problem, _("one of: {names}").format(names=", ".join(WORDS[column])))
        return found or ""


def _split(path: str | Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The heading, and each line that holds anything with its number."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(path, _("is no CSV: it is not text in UTF-8"), right=_example()) from error
    except OSError as error:
        raise FileError(path, _("cannot be read: {reason}").format(reason=error.strerror or error)) from error
    first = text.lstrip().partition("\n")[0]
    if "\0" in text:
        raise FileError(path, _("is no CSV: it is not text in UTF-8"), right=_example())
    if not first:
        raise FileError(path, _("is empty"), right=_example())
    delimiter = max(DELIMITERS, key=first.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    try:
        lines = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        problem = _("line {line}: is no CSV: {reason}").format(line=reader.line_num, reason=error)
        raise FileError(path, problem, right=_example()) from error
    heading = [name.strip().lower() for name in lines[0][1]]
    return heading, [(number, _padded(path, number, cells, len(heading))) for number, cells in lines[1:]]


def _padded(path: str | Path, number: int, cells: list[str], width: int) -> list[str]:
    """Cells that spreadsheets leave out at the end of a line are empty; more cells than the heading are a mistake."""
    if len(cells) > width:
        problem = _("line {line}: has {count} cells, the heading has {width}")
        right = _("quote texts that hold the separator")
        raise FileError(path, problem.format(line=number, count=len(cells), width=width), right=right)
    return [*cells, *[""] * (width - len(cells))]


def _check_heading(path: str | Path, heading: Sequence[str]) -> None:
    twice = next((name for name in heading if name and heading.count(name) > 1), None)
    if twice:
        raise FileError(path, _("line 1: column {column} stands there twice").format(column=twice))
    unknown = [name for name in heading if name and name not in KNOWN]
    missing = [name for name in REQUIRED if name not in heading]
    if not missing and not any(name in heading for name in TELLING):
        missing = [TELLING[0]]
    if missing:
        problem = _("line 1: column {column} is missing").format(column=missing[0])
        near = difflib.get_close_matches(missing[0], unknown, 1, 0.7)
        right = _("perhaps {name} is meant").format(name=near[0]) if near else _example()
        raise FileError(path, problem, right=right)
    for name in unknown:
        # Another column is nobody's business, but one that is nearly ours would be ignored in silence.
        near = difflib.get_close_matches(name, [known for known in KNOWN if known not in heading], 1, 0.85)
        if near:
            problem = _("line 1: column {column} is not known").format(column=name)
            raise FileError(path, problem, right=_("perhaps {name} is meant").format(name=near[0]))


def _measurement(line: Line) -> Measurement:
    for column in REQUIRED[:2]:
        if not line.text(column):
            raise line.wrong(column, _("is empty"), _("every measurement needs one"))
        if len(line.text(column)) > LONGEST:
            raise line.wrong(column, _("is too long for a name"), _("at most {count} letters").format(count=LONGEST))
    quantity, unit = _quantity(line)
    si_unit, scale = _unit(line, quantity, unit)
    return Measurement(
        line=line.number,
        id=line.text("id") or str(line.number),
        workload=line.text("workload"),
        gpu=line.text("gpu"),
        quantity=quantity,
        value=_value(line) * scale,
        unit=unit,
        scale=scale,
        si_unit=si_unit,
        batch_size=line.whole("batch_size"),
        columns={name: _cell(line, name) for name in OPTIONAL if line.text(name)},
    )


def _cell(line: Line, column: str) -> str:
    if column in WORDS:
        return line.word(column)
    if column in WHOLE:
        return str(line.whole(column) or "")
    text = line.text(column)
    return OPEN.get(column, {}).get(text.lower(), text)


def _quantity(line: Line) -> tuple[str, str]:
    """The quantity and its unit, each from the other where one is not written."""
    quantity, unit = line.text("quantity").lower(), line.text("unit")
    if quantity and quantity not in UNITS:
        problem = _("unknown quantity '{value}'").format(value=quantity)
        raise line.wrong("quantity", problem, _("one of: {names}").format(names=", ".join(UNITS)))
    if not quantity and not unit:
        raise line.wrong("quantity", _("is empty"), _("one of: {names}").format(names=", ".join(UNITS)))
    quantity = quantity or quantity_of(unit)
    if not quantity:
        names = ", ".join(dict.fromkeys(name for units in UNITS.values() for name in units))
        problem = _("unknown unit '{value}'").format(value=unit)
        raise line.wrong("unit", problem, _("one of: {names}").format(names=names))
    return quantity, unit or usual_unit(quantity)


def _unit(line: Line, quantity: str, unit: str) -> tuple[str, float]:
    names = _("one of: {names}").format(names=", ".join(UNITS[quantity]))
    if not unit:
        raise line.wrong("unit", _("is empty, and a {quantity} may be in several").format(quantity=quantity), names)
    found = find_unit(quantity, unit)
    if found is None:
        problem = _("'{value}' is no unit of {quantity}").format(value=unit, quantity=quantity)
        raise line.wrong("unit", problem, names)
    return found


def _value(line: Line) -> float:
    text = line.text("value")
    if not text:
        raise line.wrong("value", _("is empty"), _("every measurement needs one"))
    try:
        value = float(text)
    except ValueError:
        raise line.wrong("value", _("'{value}' is not a number").format(value=text), _("write it like 12.5")) from None
    if not math.isfinite(value) or value <= 0:
        problem = _("{value} cannot have been measured").format(value=text)
        raise line.wrong("value", problem, _("a number greater than 0"))
    return value


def _example() -> str:
    return _("begin with a line like: {heading}").format(
        heading="workload,task,precision,batch_size,gpu,quantity,value,unit"
    )
