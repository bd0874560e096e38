"""Obtains the published table that most of the report rests on: ``python -m accuracy.obtain FOLDER``.

Fetches the benchmark results of PyTorch image models with git and writes them as ``FOLDER/vision_throughput.csv``, in
the columns of ``outboard validate``. Set ``OUTBOARD_REFERENCE`` to that folder afterwards. The other tables of the
report are small and docs/methodology/time.md names their sources; sets whose tables are missing cannot be judged.
"""

import csv
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = "https://github.com/huggingface/pytorch-image-models"
COMMIT = "aa4b5850c154"
COLUMNS = (
    *("id", "source", "task", "workload", "method", "batch_size", "num_gpus", "gpu", "precision"),
    *("memory_format", "compiled", "image_size", "quantity", "value", "unit", "note"),
)
# benchmark-infer-amp-nchw-pt240-cu124-rtx4090-dynamo.csv
NAME = re.compile(
    r"benchmark-(?P<task>infer|train)-amp-(?P<layout>nchw|nhwc)-pt(?P<torch>\d+)-cu(?P<cuda>\d+)-"
    r"(?P<gpu>[a-z]*\d+[a-z0-9]*)(?P<dynamo>-dynamo)?\.csv"
)


def main() -> int:
    """Fetch and write."""
    if len(sys.argv) != 2:
        print("usage: python -m accuracy.obtain FOLDER", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as clone:
        fetch(REPOSITORY, COMMIT, Path(clone))
        count = write(Path(clone) / "results", folder / "vision_throughput.csv")
    print(f"{count} rows; now: export OUTBOARD_REFERENCE={folder}")
    return 0


def fetch(repository: str, commit: str, into: Path) -> None:
    """Check out the folder of results of one commit, and nothing else."""
    for command in (
        ["clone", "--quiet", "--no-checkout", "--filter=blob:none", repository, str(into)],
        ["-C", str(into), "sparse-checkout", "set", "results"],
        ["-C", str(into), "checkout", "--quiet", commit],
    ):
        subprocess.run(["git", *command], check=True)


def write(results: Path, path: Path) -> int:
    """Write the rows of every table of half-precision benchmarks in ``results``; return how many."""
    rows = [row for table in sorted(results.glob("benchmark-*.csv")) for row in _rows(table)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for number, row in enumerate(rows):
            writer.writerow({"id": f"vision_throughput-{number:05d}", **row})
    return len(rows)


def _rows(table: Path) -> Iterator[dict[str, str]]:
    named = NAME.fullmatch(table.name)
    if named is None:
        return
    task = named["task"]
    with table.open(encoding="utf-8", newline="") as file:
        for record in csv.DictReader(file):
            rate = record.get(f"{task}_samples_per_sec") or ""
            if not rate or float(rate) <= 0:
                continue
            yield {
                "source": f"huggingface/pytorch-image-models@{COMMIT}:results/{table.name}",
                "task": task,
                "workload": f"timm:{record['model']}",
                "method": "full",
                "batch_size": record[f"{task}_batch_size"],
                "num_gpus": "1",
                "gpu": _gpu(named["gpu"]),
                "precision": "amp-fp16",
                "memory_format": named["layout"],
                "compiled": "dynamo" if named["dynamo"] else "eager",
                "image_size": record[f"{task}_img_size"],
                "quantity": "throughput",
                "value": rate,
                "unit": "samples/s",
                "note": f"torch {_version(named['torch'])} cu{named['cuda']}",
            }


def _gpu(name: str) -> str:
    """The name of the catalogue: the tables write rtx3090, 4090."""
    return f"rtx-{name.removeprefix('rtx')}"


def _version(digits: str) -> str:
    """112 is torch 1.12, 240 is torch 2.4.0.

    >>> _version("112"), _version("240"), _version("291")
    ('1.12', '2.4.0', '2.9.1')
    """
    return f"{digits[0]}.{digits[1:]}" if digits[0] == "1" else ".".join(digits)


if __name__ == "__main__":
    sys.exit(main())
