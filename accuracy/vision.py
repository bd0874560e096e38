"""Whole vision models from timm's published benchmarks, and their traces.

``python -m accuracy.vision FOLDER 120`` traces what 120 models need into FOLDER, where the fit and the judge find it:
some 400 traces, an hour on one core.
"""

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from accuracy.hardware import device_arrays
from accuracy.observations import Observations, join_columns
from accuracy.reference import require
from outboard.errors import OutboardError
from outboard.perf.time.columns import Columns, columns
from outboard.tracing.file import load, save
from outboard.types.job import Job
from outboard.types.trace import Trace
from outboard.validation.families import family

MODELS = 320  # how many are traced and used, of some 660
QUARTERS = 4  # families are left out of a fit in so many parts
# Models that some of the runs re-parametrised before timing (and which, the tables do not say).
REPARAMETRISED = ("repvgg", "repghost", "repvit", "fastvit", "mobileone")


@dataclass(frozen=True)
class Row:
    """One published measurement: a job on one GPU at one batch size."""

    job: Job
    batch: int
    gpu: str
    seconds: float  # of one step [s]
    family: str


def rows(folder: Path) -> list[Row]:
    """All measurements on timm models."""
    data = pd.read_csv(folder / "vision_throughput.csv")
    found: list[Row] = []
    for record in data.to_dict("records"):
        if any(word in record["workload"] for word in REPARAMETRISED):
            continue
        training = record["task"] == "train"
        job = Job(
            workload=record["workload"],
            task=record["task"],
            precision=record["precision"],
            batch_size=int(record["batch_size"]),
            image_size=int(record["image_size"]),
            optimizer="momentum" if training else "adamw",
            memory_format=record["memory_format"],
            compiled=record["compiled"] == "dynamo",
            # The training runs used torch 1.12, which had no fused attention.
            attention="eager" if training else "sdpa",
            input_copy="resident",
            software="torch-1" if training else "current",
        )
        batch = int(record["batch_size"])
        found.append(Row(job, batch, record["gpu"], batch / float(record["value"]), family(job.workload)))
    return found


def sample(found: list[Row], models: int) -> list[Row]:
    """The rows of at most ``models`` models, drawn by hash and spread over families."""
    names = sorted({row.job.workload for row in found}, key=hashed)
    rank: dict[str, int] = {}
    order: list[tuple[int, int, str]] = []
    for position, name in enumerate(names):
        rank[family(name)] = rank.get(family(name), 0) + 1
        order.append((rank[family(name)], position, name))
    chosen = {name for _, _, name in sorted(order)[:models]}
    return [row for row in found if row.job.workload in chosen]


def quarter(name: str) -> int:
    """Which part of the families the family ``name`` is left out with."""
    return hashed(name) // 2 % QUARTERS


def _order(job: Job) -> tuple[bool, bool, int]:
    """Small images first, then a layout per task, so that a cache filled in part already spans the families."""
    return (job.image_size or 0) > 300, (job.task == "infer") == (job.memory_format == "nhwc"), hashed(job.workload)


def hashed(text: str) -> int:
    """A number that is the same everywhere and always, to draw by."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def trace_of(job: Job, cache: Path, make: bool = True) -> Trace | None:
    """The trace of a job, from ``cache`` or made now; None if the model cannot be traced, or must not be made."""
    key = "-".join(str(part) for part in (job.workload, job.task, job.image_size, job.memory_format, job.attention))
    path = cache / f"{key.replace(':', '_').replace('/', '_')}.trace"
    failed = path.with_suffix(".failed")
    if path.exists():
        return load(path)
    if failed.exists() or not make:
        return None
    try:
        save(_trace(job), path)
    except (OutboardError, RuntimeError) as problem:
        failed.write_text(str(problem))
        return None
    return load(path)


def _trace(job: Job) -> Trace:
    from outboard.tracing import trace

    return trace(job)


def trace_all(folder: Path, cache: Path, models: int) -> None:
    """Fill the cache."""
    cache.mkdir(parents=True, exist_ok=True)
    jobs = {
        (row.job.workload, row.job.task, row.job.image_size, row.job.memory_format): row.job
        for row in sample(rows(folder), models)
    }
    for number, job in enumerate(sorted(jobs.values(), key=_order)):
        made = trace_of(job, cache)
        print(number, len(jobs), job.workload, job.task, "ok" if made else "failed", file=sys.stderr, flush=True)


def observations(found: list[Row], cache: Path, gpu: str) -> Observations | None:
    """The rows of one GPU as operators and seconds; rows whose model has no trace in ``cache`` are left out."""
    tables: list[Columns] = []
    kept: list[Row] = []
    for row in (row for row in found if row.gpu == gpu):
        traced = trace_of(row.job, cache, make=False)
        if traced is not None:
            tables.append(columns(row.job, traced, np.array([float(row.batch)])))
            kept.append(row)
    if not kept:
        return None
    owner = np.repeat(np.arange(len(kept)), [len(table) for table in tables])
    return Observations(
        device_arrays(gpu),
        join_columns(tables),
        owner,
        np.array([row.seconds for row in kept]),
        tuple(_label(row) for row in kept),
        np.array([row.job.compiled for row in kept]),
        np.array([row.job.task == "train" for row in kept]),
    )


def _label(row: Row) -> dict[str, str]:
    job = row.job
    mode = "compiled" if job.compiled else "eager"
    return {
        "gpu": row.gpu,
        "workload": job.workload,
        "family": row.family,
        "task": job.task,
        "mode": mode,
        "layout": job.memory_format,
        "batch": str(row.batch),
    }


if __name__ == "__main__":
    trace_all(require(), Path(sys.argv[1]), int(sys.argv[2]))
