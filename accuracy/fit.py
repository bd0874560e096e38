"""Fit the coefficients of the time model: ``python -m accuracy.fit [--cache DIR] [--models N] [--write]``.

Single operators and whole models are fitted together. What ships is fitted on everything; what judges it is fitted
without what it judges (:mod:`accuracy.refit`).
Trace the models first: ``python -m accuracy.vision DIR N``.
"""

import argparse
import datetime
import re
from pathlib import Path

import numpy as np

from accuracy import operators, reference, vision
from accuracy.fitting import fit
from accuracy.observations import Observations, log_errors
from outboard.perf.time import coefficients
from outboard.perf.time.coefficients import Coefficients
from outboard.types.trace import FloatArray

# One after another: first what single operators determine, then what only whole models show.
OPERATORS = ("arithmetic_vector", "winograd", "tail_waves", "tile_depth", "l2_bytes_per_cycle", "ceiling_norm")
MODELS = (
    "convolution_tensor",
    "grouped",
    "nchw_conversion",
    "attention_arithmetic",
    "backward_arithmetic",
    "depthwise_arithmetic",
    "depthwise_backward",
    "depthwise_last",
    "l2_residency",
    "fused_traffic",
    "fused_copies",
    "memory_stream",
    "memory_copy",
    "memory_matmul",
    "memory_norm",
    "memory_norm_backward",
    "memory_batch_norm",
    "memory_batch_norm_backward",
    "batch_norm_last",
    "memory_backward",
    "grouped_fallback",
    "cycle_stream",
    "cycle_copy",
    "cycle_reduction",
    "cycle_norm",
    "batch_norm_blocks",
    "memory_softmax",
    "memory_gather",
    "memory_depthwise",
)
# Where every fit starts: what one would say before any measurement. Not the values that ship, so that a GPU or a
# family left out cannot speak through them.
NEUTRAL = {
    "arithmetic_vector": 0.9,
    "winograd": 0.8,
    "tail_waves": 0.5,
    "tile_depth": 64.0,
    "l2_bytes_per_cycle": 32.0,
    "convolution_tensor": 0.9,
    "grouped": 0.9,
    "ceiling_norm": 2.0,
    "nchw_conversion": 0.5,
    "attention_arithmetic": 0.8,
    "backward_arithmetic": 0.9,
    "depthwise_arithmetic": 0.25,
    "depthwise_backward": 0.5,
    "depthwise_last": 1.0,
    "l2_residency": 0.3,
    "fused_traffic": 0.9,
    "fused_copies": 0.8,
    "memory_stream": 0.9,
    "memory_copy": 0.9,
    "memory_matmul": 0.9,
    "memory_norm": 0.7,
    "memory_norm_backward": 0.6,
    "memory_batch_norm": 0.7,
    "memory_batch_norm_backward": 0.5,
    "batch_norm_last": 1.0,
    "memory_backward": 0.9,
    "grouped_fallback": 0.06,
    "cycle_stream": 30.0,
    "cycle_copy": 20.0,
    "cycle_reduction": 12.0,
    "cycle_norm": 12.0,
    "batch_norm_blocks": 1.0,
    "memory_softmax": 0.7,
    "memory_gather": 0.7,
    "memory_depthwise": 0.8,
}
# One operator timed alone weighs less than one model: it is one of hundreds in a step.
OPERATOR_WEIGHT = 0.4
# There are seven timings of inference for one of training, which alone knows the backward pass.
TRAINING_WEIGHT = 2.0
VISION_GPUS = ("rtx-3090", "rtx-4090")
# The P4 of the tables ran its linear layers at two speeds, hot and cold.
UNUSABLE = {("p4", "linear")}


def operator_tables(folder: Path) -> list[Observations]:
    """Operators timed alone, on five GPUs."""
    tables = [
        operators.load(folder, gpu, table)
        for gpu in operators.GPUS
        for table in ("linear", "bmm", "conv", "elementwise")
        if (gpu, table) not in UNUSABLE
    ]
    return [operators.load_half(folder), *[table for table in tables if table is not None]]


def model_tables(folder: Path, cache: Path, models: int) -> list[Observations]:
    """Whole models on each GPU."""
    found = vision.sample(vision.rows(folder), models)
    tables = [vision.observations(found, cache, gpu) for gpu in VISION_GPUS]
    return [table for table in tables if table is not None]


def residuals(single: list[Observations], whole: list[Observations], c: Coefficients) -> FloatArray:
    """All ln(forecast/measured), weighted."""
    alone = [OPERATOR_WEIGHT * log_errors(table, c) for table in single]
    weighted = [np.where(table.training, TRAINING_WEIGHT, 1.0) * log_errors(table, c) for table in whole]
    return np.concatenate([*alone, *weighted])


def run(single: list[Observations], whole: list[Observations], names: tuple[str, ...]) -> Coefficients:
    """Fit ``names`` on all tables, starting from :data:`NEUTRAL`."""
    best, _ = fit(coefficients.load().with_values(NEUTRAL), names, lambda c: residuals(single, whole, c))
    return best


def write(best: Coefficients, names: tuple[str, ...], sizes: str) -> None:
    """Put the fitted values and their provenance into the file that ships."""
    text = coefficients.PATH.read_text(encoding="utf-8")
    note = f"python -m accuracy.fit on {sizes}, {datetime.datetime.now(tz=datetime.UTC).date()}"
    for name in names:
        value = f"{getattr(best, name):.4g}"
        text = re.sub(rf"(\[{name}\]\nvalue = )[^\n]*", rf"\g<1>{value}", text)
        text = re.sub(rf'(\[{name}\]\n(?:(?!\[)[^\n]+\n)*?provenance = )"[^\n]*"', rf'\g<1>"{note}"', text)
    coefficients.PATH.write_text(text, encoding="utf-8")


def main() -> None:
    """Fit, print what moved, and with ``--write`` keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=reference.TRACES, help="folder of traces")
    parser.add_argument("--models", type=int, default=vision.MODELS, help="how many models to trace")
    parser.add_argument("--write", action="store_true", help="write coefficients.toml")
    options = parser.parse_args()
    folder = reference.require()
    single = operator_tables(folder)
    whole = model_tables(folder, options.cache, options.models)
    names = OPERATORS + MODELS
    best = run(single, whole, names)
    for name in names:
        print(f"{name:24s} {getattr(coefficients.load(), name):10.4g} -> {getattr(best, name):10.4g}")
    sizes = f"{sum(map(len, single))} operators on five GPUs and {sum(map(len, whole))} timings of vision models on two"
    print(sizes)
    if options.write:
        write(best, names, sizes)


if __name__ == "__main__":
    main()
