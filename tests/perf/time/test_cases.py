"""Published single figures that no fit saw, on GPUs from 2017 to 2020, forecast with a trace that ships."""

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from outboard.catalog import place
from outboard.perf.time import step_estimate
from outboard.tracing import trace
from outboard.types.job import Job
from outboard.types.trace import Trace

CASES = Path(__file__).parents[3] / "accuracy" / "cases" / "resnet50_training.csv"
WORST, MEDIAN = 0.35, 0.15


@cache
def rows() -> list[dict[str, str]]:
    with CASES.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@cache
def traced(precision: str) -> tuple[Job, Trace]:
    # The runs read from disk while the last step went on, in the layout that is PyTorch's default.
    job = Job(workload="zoo:resnet50", precision=precision, optimizer="momentum", input_copy="overlapped")  # type: ignore[arg-type]
    return job, trace(job)


def error(row: dict[str, str]) -> float:
    job, found = traced(row["precision"])
    forecast = step_estimate(job, found, int(row["batch"]), place(row["gpu"])).throughput.value
    assert forecast is not None
    return abs(float(row["images_per_s"]) / forecast - 1.0)


@pytest.mark.parametrize("number", range(9))
def test_no_case_is_far_off(number: int) -> None:
    row = rows()[number]
    assert error(row) < WORST, f"{row['gpu']} {row['precision']}: {error(row):.0%}"


def test_half_of_the_cases_are_close() -> None:
    assert float(np.median([error(row) for row in rows()])) < MEDIAN
    assert all(row["source"] for row in rows())
