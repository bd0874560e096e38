"""Whole models on GPUs that the fit never sees: a precision sweep at small batches, training on many GPU types."""

from pathlib import Path

import pandas as pd

from accuracy.vision import Row, family
from outboard.types.job import Job

PRECISION = {"fp16(model.half)": "fp16", "fp32": "fp32", "fp64": "fp64", "amp-fp16": "amp-fp16"}


def sweep_rows(folder: Path) -> list[Row]:
    """Forward and backward at batch 12 on an RTX 2080 Ti and a TITAN Xp, copy included, no optimizer step."""
    data = pd.read_csv(folder / "precision_sweep.csv")
    return [_sweep(record) for record in data[data.num_gpus == 1].to_dict("records")]


def _sweep(record: dict[str, object]) -> Row:
    job = Job(
        workload=str(record["workload"]),
        task=str(record["task"]),  # type: ignore[arg-type]
        precision=PRECISION[str(record["precision"])],  # type: ignore[arg-type]
        image_size=224,
        optimizer="sgd",
        input_copy="serial",
    )
    return Row(
        job,
        int(str(record["batch_size"])),
        str(record["gpu"]),
        float(str(record["value"])) * 1e-3,
        family(job.workload),
    )


def many_rows(folder: Path) -> list[Row]:
    """ResNet-50 training from disk, one GPU of eleven types."""
    data = pd.read_csv(folder / "training_many_gpus.csv")
    data = data[(data.num_gpus == 1) & (data.workload == "torchvision:resnet50")]
    groups = data.groupby(["gpu", "precision", "batch_size"]).value.median().reset_index()
    return [_many(record) for record in groups.to_dict("records")]


def _many(record: dict[str, object]) -> Row:
    job = Job(
        workload="torchvision:resnet50",
        task="train",
        precision=PRECISION[str(record["precision"])],  # type: ignore[arg-type]
        image_size=224,
        optimizer="momentum",
        input_copy="overlapped",
    )
    batch = int(str(record["batch_size"]))
    return Row(job, batch, str(record["gpu"]), batch / float(str(record["value"])), family(job.workload))
