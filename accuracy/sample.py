"""The small sample that the tests predict: ``python -m accuracy.sample`` draws it from the published tables.

About 150 rows spread over sets and GPUs, single figures with their citation, and the traces of their models, so that a
clone without the tables can hold the model against its ceilings.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

from accuracy import reference, sets, vision
from accuracy.subjects import Subject, load
from outboard.tracing.file import load as load_trace
from outboard.tracing.file import save
from outboard.types.job import Job
from outboard.types.trace import Trace

CASES = reference.ROOT / "accuracy" / "cases"
SAMPLE, TRACES = CASES / "sample.csv", CASES / "traces"
COLUMNS = (
    *("id", "source", "set", "task", "workload", "batch_size", "gpu", "precision", "memory_format", "compiled"),
    *("image_size", "seq_len", "quantity", "value", "unit", "note"),
)
# Of each set: how many models, and how many rows of each.
SIZES = {
    "timm-infer-eager": (18, 3),
    "timm-infer-compiled": (18, 1),
    "timm-train": (14, 2),
    "training-across-gpus": (3, 8),
    "torchvision-precisions": (5, 5),
    "transformers-fp32": (4, 4),
}


def subjects() -> dict[str, list[Subject]]:
    """The rows of the sample by set, from what is stored beside them."""
    stored: dict[Path, Trace] = {}

    def traced(job: Job) -> Trace:
        path = trace_path(job)
        if path not in stored:
            stored[path] = load_trace(path)
        return stored[path]

    with SAMPLE.open(encoding="utf-8", newline="") as file:
        sets_of = {row["id"]: row["set"] for row in csv.DictReader(file)}
    found: dict[str, list[Subject]] = defaultdict(list)
    for one in load(SAMPLE, traced):
        found[sets_of[one.case.measurement.id]].append(one)
    return found


def trace_path(job: Job) -> Path:
    """Where the trace of a job of the sample lies."""
    half = job.precision.removeprefix("amp-") if job.workload.startswith("timm:") else job.precision
    parts = (
        _name(job.workload),
        job.task,
        half,
        job.image_size,
        job.seq_len,
        job.attention,
        job.optimizer,
        job.memory_format,
    )
    name = "-".join(str(part) for part in parts if part is not None)
    return TRACES / f"{name.replace(':', '_').replace('/', '_')}.trace"


def _name(workload: str) -> str:
    """The workload, a file without its folder: the sample must not depend on where the clone lies."""
    kind, _colon, name = workload.partition(":")
    return f"{kind}:{Path(name).name}" if name.endswith(".json") else workload


def main() -> None:
    """Draw the rows and write them with their traces."""
    TRACES.mkdir(parents=True, exist_ok=True)
    for old in TRACES.glob("*.trace"):
        old.unlink()
    chosen = [(name, one) for name, size in SIZES.items() for one in _drawn(sets.subjects_of(name), *size)]
    with SAMPLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for name, one in chosen:
            writer.writerow(_row(name, one))
    for _set, one in chosen:
        if not trace_path(one.job).exists():
            save(_original(one).with_info(workload=_name(one.job.workload)), trace_path(one.job))
    print(len(chosen), "rows,", len(list(TRACES.glob("*.trace"))), "traces", file=sys.stderr)


def _drawn(rows: list[Subject], models: int, each: int) -> list[Subject]:
    """``each`` rows of ``models`` models, by hash, one of a kind of GPU and precision before a second."""
    by_model: dict[str, list[Subject]] = defaultdict(list)
    for one in sorted(rows, key=lambda one: vision.hashed(one.case.measurement.id)):
        by_model[one.job.workload].append(one)
    found: list[Subject] = []
    for model in sorted(by_model, key=vision.hashed)[:models]:
        kinds: dict[tuple[str, ...], list[Subject]] = defaultdict(list)
        for one in by_model[model]:
            kinds[one.gpu, one.job.precision, one.job.memory_format, one.job.task].append(one)
        firsts = [members[0] for members in kinds.values()]
        found += firsts[:each]
    return found


def _row(name: str, one: Subject) -> dict[str, str]:
    seen = one.case.measurement
    known = {
        "id": seen.id,
        "set": name,
        "workload": seen.workload,
        "batch_size": str(seen.batch_size),
        "gpu": seen.gpu,
        "quantity": seen.quantity,
        "value": f"{seen.written:g}",
        "unit": seen.unit,
    }
    return {column: known.get(column, seen.text(column)) for column in COLUMNS}


def _original(one: Subject) -> Trace:
    """The trace as recorded, from the cache."""
    if one.job.workload.startswith("timm:"):
        found = vision.trace_of(one.job, reference.TRACES, make=False)
        assert found is not None
        return found
    from outboard.tracing import trace

    return trace(one.job)


if __name__ == "__main__":
    main()
