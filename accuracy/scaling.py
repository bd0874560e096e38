"""How many times as fast several GPUs are: forecasts held against published runs on 1, 2, 4 and 8 of the same GPU.

    OUTBOARD_REFERENCE=FOLDER python -m accuracy.scaling

Judged: ``training_many_gpus.csv`` (ResNet-50 and BERT on eleven GPU models). No coefficient of the exchange was fitted
on it: those of ``perf/collectives/facts.toml`` come from collectives that were measured on their own and from
TensorFlow's CNNs (``scaling_tensorflow.csv``). A speed-up is the rate on n GPUs over the median rate on one, at the
same batch on each, in the same table.
"""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from accuracy import reference
from outboard import api, catalog
from outboard.perf.time import PlaceArrays, replay
from outboard.tracing.optimizer import attach
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace

TRACES = {
    "torchvision:resnet50": "torchvision_resnet50-train-224-nchw-sdpa{suffix}.trace",
    "hf:bert-base-uncased": "hf_bert-base-uncased-finetune-None-nchw-eager{suffix}-384.trace",
    "hf:bert-large-uncased": "hf_bert-large-uncased-finetune-None-nchw-eager{suffix}-384.trace",
}
BRIDGES = {"rtx-2080-ti": "nvlink-bridge-2080ti", "rtx-8000": "nvlink-bridge-3090"}


@dataclass(frozen=True)
class Case:
    """One published speed-up and its forecast [1]."""

    gpu: str
    workload: str
    precision: str
    batch: int
    count: int
    bridged: bool
    measured: float
    forecast: float

    @property
    def error(self) -> float:
        return self.forecast / self.measured - 1.0


def cases(folder: Path) -> Iterator[Case]:
    """Every speed-up that the table holds."""
    alone: dict[Any, list[float]] = defaultdict(list)
    several: dict[Any, list[float]] = defaultdict(list)
    with (folder / "training_many_gpus.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            what = (row["gpu"], row["workload"], row["precision"], int(row["batch_size"]))
            count, bridged = int(row["num_gpus"]), "NVlink" in row["source"]
            if count == 1:
                alone[what].append(float(row["value"]))
            else:
                several[(*what, count, bridged)].append(float(row["value"]))
    for (gpu, workload, precision, batch, count, bridged), values in sorted(several.items()):
        if singles := alone.get((gpu, workload, precision, batch)):
            forecast = speed_up(gpu, workload, precision, batch, count, bridged)
            yield Case(gpu, workload, precision, batch, count, bridged, median(values) / median(singles), forecast)


def speed_up(gpu: str, workload: str, precision: str, batch: int, count: int, bridged: bool) -> float:
    """How many times as fast ``count`` GPUs are, by the forecast [1]."""
    places = [place_of(gpu, each, bridged) for each in (1, count)]
    job = Job(
        workload=workload,
        task="finetune" if workload.startswith("hf:") else "train",
        precision=precision,  # type: ignore[arg-type]
        batch_size=batch,
        input_copy="overlapped",
        software="torch-1",
        optimizer="momentum" if "resnet" in workload else "adam",
    )
    total = replay(
        job, trace_of(workload, precision, job.optimizer), np.array([float(batch)]), PlaceArrays.of(places)
    ).total
    return count * float(total[0, 0] / total[1, 0])


@cache
def place_of(gpu: str, count: int, bridged: bool) -> Place:
    found = api.find_place(f"{gpu} x{count}")
    return replace(found, interconnect=catalog.link(BRIDGES[found.device.id])) if bridged else found


@cache
def trace_of(workload: str, precision: str, optimizer: str) -> Trace:
    suffix = "" if precision.startswith("amp") else f"-{precision}"
    return attach(api.load_trace(reference.TRACES / TRACES[workload].format(suffix=suffix)), optimizer)  # type: ignore[arg-type]


def main() -> int:
    found = list(cases(reference.require()))
    for case in sorted(found, key=lambda case: case.error) if "--rows" in sys.argv else []:
        where = f"{case.gpu:16s} x{case.count} {'bridge' if case.bridged else '':6s}"
        what = f"{case.workload:22s} {case.precision:8s} {case.batch:4d}"
        print(f"{where} {what} measured {case.measured:5.2f} forecast {case.forecast:5.2f} {case.error:+.0%}")
    told("all", found)
    for field in ("count", "gpu", "workload", "precision"):
        for value in sorted({getattr(case, field) for case in found}):
            told(f"{field} {value}", [case for case in found if getattr(case, field) == value])
    return 0


def told(name: str, found: list[Case]) -> None:
    off = [abs(case.error) for case in found]
    bias = median(case.error for case in found)
    tail = np.quantile(off, 0.9)
    print(f"{name:30s} {len(found):4d} cases, median {median(off):.1%}, 90 % {tail:.0%}, bias {bias:+.1%}")


if __name__ == "__main__":
    sys.exit(main())
