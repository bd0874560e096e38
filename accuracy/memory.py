"""Every published memory figure against its forecast: ``python -m accuracy.memory [TABLE ...] [--set NAME=VALUE]``.

Each figure is held against its own quantity: allocated, reserved, or the whole GPU; a batch that ran against the
verdict. Where a table does not say which, its figure is held against the nearer of the two, with a band around both.
Nothing is fitted here. ``--set gradients_released=never`` says otherwise what the tables leave open.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from pydantic import ValidationError

from accuracy.memory_cases import Case, cases
from accuracy.reference import TRACES, require
from accuracy.vision import trace_of
from outboard.catalog import place
from outboard.errors import OutboardError
from outboard.perf.memory import place_memory, required_bytes
from outboard.types.job import Job
from outboard.types.trace import Trace

GB = 1e9


def main(arguments: list[str] | None = None) -> int:
    """Print one line for each case, then one for each table."""
    parser = argparse.ArgumentParser(description="published memory figures against their forecasts")
    parser.add_argument("tables", nargs="*", help="training, llm, peft, docs, batches; all without")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="what tables leave open")
    parser.add_argument("--every", type=int, default=1, help="one row in N of the batches")
    options = parser.parse_args(arguments)
    os.environ.setdefault("OUTBOARD_CACHE_DIR", str(TRACES))
    habits = dict(text.split("=", 1) for text in options.set)
    wanted = [case for case in cases(require()) if not options.tables or case.table in options.tables]
    batches = [case for case in wanted if case.table == "batches"][:: options.every]
    wanted = [case for case in wanted if case.table != "batches"] + batches
    judged = pd.DataFrame([line for case in wanted for line in judge(case, habits)])
    pd.set_option("display.width", 220, "display.max_rows", None, "display.max_columns", None)
    pd.set_option("display.max_colwidth", 72, "display.float_format", "{:.2f}".format)
    for table, lines in judged.groupby("table", sort=False):
        print(f"\n{table}")
        shown = lines if table != "batches" else lines[lines["right"] == False]  # noqa: E712 (a column)
        print(shown.drop(columns=["table"]).dropna(axis=1, how="all").to_string(index=False))
        print(summary(lines))
    return 0


def judge(case: Case, habits: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The lines of one case: one, or for a batch that ran one more for the batch that failed."""
    line: dict[str, Any] = {"table": case.table, "row": case.label, "gpu": case.gpu}
    try:
        if case.unknown:
            raise LookupError(case.unknown)
        job = Job(**{**habits, **case.job, "batch_size": case.batch})
        trace = _trace(case, job)
    except (OutboardError, ValidationError, LookupError, RuntimeError) as problem:
        yield line | {"unknown": str(problem).strip().splitlines()[0][:60]}
        return
    if case.quantity == "fits":
        yield from _verdicts(case, job, trace, line)
        return
    low, value, high = _forecast(case, job, trace)
    yield line | {
        "quantity": case.quantity,
        "measured": case.measured / GB,
        "forecast": value / GB,
        "low": low / GB,
        "high": high / GB,
        "error %": 100 * (value / case.measured - 1),
        "inside": low <= case.measured <= high,
        "above": case.measured > high,
    }


def _trace(case: Case, job: Job) -> Trace:
    if case.table != "batches":
        return _traced(job.model_copy(update={"batch_size": "auto"}).model_dump_json(exclude_unset=True))
    found = trace_of(job, TRACES, make=False)
    if found is None:
        raise LookupError("no trace; python -m accuracy.vision makes them")
    return found


@cache
def _traced(job: str) -> Trace:
    from outboard.tracing import trace

    return trace(Job.model_validate_json(job))


def _forecast(case: Case, job: Job, trace: Trace) -> tuple[float, float, float]:
    where = place(case.gpu)
    found = required_bytes(job, trace, np.array([float(case.batch)]), [where])
    band = found.allocated if case.quantity == "allocated" else found.reserved
    ends = [float(end[0, 0]) for end in (band.low, band.value, band.high)]
    if case.quantity == "either":
        least, most = float(found.allocated.value[0, 0]), ends[1]
        return float(found.allocated.low[0, 0]), min(max(case.measured, least), most), ends[2]
    if case.quantity == "whole":
        outside = place_memory(job, trace, [where]).outside
        ends = [
            end + float(more[0]) for end, more in zip(ends, (outside.low, outside.value, outside.high), strict=True)
        ]
    return ends[0], ends[1], ends[2]


def _verdicts(case: Case, job: Job, trace: Trace, line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The batch that ran must not be refused; the next larger one must not be promised."""
    where = place(case.gpu)
    for batch, ran in ((case.batch, True), (case.failed, False)):
        if batch is None:
            continue
        found = required_bytes(job, trace, np.array([float(batch)]), [where])
        needs, most = float(found.required.value[0, 0]), float(found.required.high[0, 0])
        has = float(found.available[0])
        said = "fits" if most <= has else "tight" if needs <= has else "does not fit"
        right = said != "does not fit" if ran else said != "fits"
        yield line | {
            "batch": batch,
            "ran": ran,
            "said": said,
            "right": right,
            "sharp": (needs <= has) == ran,
            "forecast": needs / GB,
            "high": most / GB,
            "available": has / GB,
        }


def summary(lines: pd.DataFrame) -> str:
    """One line on a table."""
    missing = int(lines["unknown"].notna().sum()) if "unknown" in lines else 0
    if "right" in lines and lines["right"].notna().any():
        return f"{_shares(lines[lines['right'].notna()])}; {missing} unknown"
    if "error %" not in lines or lines["error %"].notna().sum() == 0:
        return f"{missing} unknown"
    known = lines[lines["error %"].notna()]
    size = known["error %"].abs()
    errors = f"median {size.median():.1f} %, 90th percentile {size.quantile(0.9):.1f} %, worst {size.max():.1f} %"
    inside, above = (known[name].astype(float).mean() for name in ("inside", "above"))
    return f"{len(known)} rows: {errors}; inside {inside:.0%}, above the band {above:.0%}; {missing} unknown"


def _shares(known: pd.DataFrame) -> str:
    ran = known["ran"].astype(bool)
    parts: list[str] = []
    for name, words in (("right", "right"), ("sharp", "by value alone")):
        share = known[name].astype(float)
        parts.append(f"{words} {share.mean():.1%} (ran {share[ran].mean():.1%}, failed {share[~ran].mean():.1%})")
    return f"{len(known)} verdicts, {'; '.join(parts)}"


if __name__ == "__main__":
    sys.exit(main())
