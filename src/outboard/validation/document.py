"""A validation as JSON, and as one line of CSV per row."""

import csv
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from outboard.errors import FileError
from outboard.i18n import _
from outboard.validation.groups import Summary, grouped, summarise, worst
from outboard.validation.predict import Prediction
from outboard.validation.workloads import shown

WORST = 10
HEADING = ("id", "forecast", "low", "high", "measured", "error", "inside", "reason", "quantity", "unit")

Document = dict[str, Any]


def document(predictions: Sequence[Prediction], by: Sequence[str], sampled_from: int) -> Document:
    """Everything, in SI and in ratios; what is unknown is null."""
    return {
        "rows_in_table": sampled_from,
        "group_by": list(by),
        "overall": _summary(summarise(predictions, "overall")),
        "groups": [_summary(one) for one in grouped(predictions, by)],
        "worst": [_worst(one) for one in worst(predictions, WORST)],
        "uncovered": [_uncovered(one) for one in predictions if not one.covered],
        "resolved": resolved(predictions),
    }


def resolved(predictions: Sequence[Prediction]) -> list[Document]:
    """Names of models that the table gives without saying where they are from, and what they were read as."""
    found = {
        (one.case.measurement.workload, one.case.job.workload, one.case.origin): None
        for one in predictions
        if one.covered and one.case.job is not None and one.case.origin
    }
    return [{"name": name, "workload": shown(workload), "origin": origin} for name, workload, origin in found]


def write_csv(predictions: Sequence[Prediction], path: str | Path) -> None:
    """One line per row, numbers in the unit of the table. Raises :class:`~outboard.errors.FileError`."""
    try:
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(HEADING)
            writer.writerows(_line(one) for one in predictions)
    except OSError as error:
        raise FileError(path, _("cannot be written: {reason}").format(reason=error.strerror or error)) from error


def _line(one: Prediction) -> list[object]:
    row, outcome = one.case.measurement, one.outcome
    numbers = [None if value is None else value / row.scale for value in (outcome.forecast, outcome.low, outcome.high)]
    inside = None if one.inside is None else str(one.inside).lower()
    cells = [row.id, *numbers, row.written, one.error, inside, outcome.reason, row.quantity, row.unit]
    return ["" if cell is None else f"{cell:.7g}" if isinstance(cell, float) else cell for cell in cells]


def _summary(summary: Summary) -> Document:
    return asdict(summary)


def _row(one: Prediction) -> Document:
    row = one.case.measurement
    return {"id": row.id, "line": row.line, "workload": row.workload, "gpu": row.gpu, "quantity": row.quantity}


def _worst(one: Prediction) -> Document:
    outcome, row = one.outcome, one.case.measurement
    return {
        **_row(one),
        "labels": one.case.labels,
        "batch_size": row.batch_size,
        "forecast": outcome.forecast,
        "low": outcome.low,
        "high": outcome.high,
        "measured": row.value,
        "unit": row.si_unit,
        "error": one.error,
        "inside": one.inside,
    }


def _uncovered(one: Prediction) -> Document:
    return {**_row(one), "reason": one.outcome.reason}
