"""Judge the time model on what it was not fitted on: ``python -m accuracy.judge [--cache DIR] [--models N] [--write]``.

Families of models that the fit never saw; then whole GPUs left out in turn, refitted without them.
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

from accuracy import fit, reference
from accuracy.observations import Observations, log_errors
from outboard.perf.time import coefficients
from outboard.perf.time.coefficients import Coefficients
from outboard.types.trace import FloatArray

BY = ("gpu", "task", "mode", "layout")


def grouped(tables: list[Observations], c: Coefficients, by: tuple[str, ...] = BY) -> dict[tuple[str, ...], FloatArray]:
    """ln(forecast/measured) by what the measurements have in common."""
    groups: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for table in tables:
        for label, error in zip(table.labels, log_errors(table, c), strict=True):
            groups[tuple(label[key] for key in by)].append(float(error))
    return {key: np.array(groups[key]) for key in sorted(groups)}


def summary(errors: FloatArray) -> str:
    """Count, bias, median and 90th percentile of the relative error."""
    relative = np.abs(np.expm1(errors))
    return (
        f"n {len(errors):4d}   bias {np.expm1(np.median(errors)):+6.1%}   median {np.median(relative):6.1%}   "
        f"p90 {np.quantile(relative, 0.9):6.1%}"
    )


def report(title: str, tables: list[Observations], c: Coefficients, by: tuple[str, ...] = BY) -> None:
    """Print one line per group."""
    print(f"\n{title}")
    for key, errors in grouped(tables, c, by).items():
        print(f"  {' '.join(f'{part:10s}' for part in key)} {summary(errors)}")


def main() -> None:
    """Print the errors on held-out families and held-out GPUs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=reference.TRACES, help="folder of traces")
    parser.add_argument("--models", type=int, default=320, help="how many models to trace")
    parser.add_argument("--leave-out", action="store_true", help="also refit without each GPU in turn")
    options = parser.parse_args()
    folder = reference.require()
    single = fit.operator_tables(folder)
    fitted = fit.model_tables(folder, options.cache, options.models, judged=False)
    judged = fit.model_tables(folder, options.cache, options.models, judged=True)
    shipped = coefficients.load()
    report("Families fitted on, coefficients that ship", fitted, shipped)
    report("Families held out, coefficients that ship", judged, shipped)
    report("Single operators, coefficients that ship", single, shipped, ("gpu", "table"))
    if options.leave_out:
        leave_out(single, fitted, judged)


def leave_out(single: list[Observations], fitted: list[Observations], judged: list[Observations]) -> None:
    """Refit without each GPU, and judge on that GPU: held-out families for models, all rows for operators."""
    for gpu in fit.VISION_GPUS:
        there = [table for table in judged if table.labels[0]["gpu"] == gpu]
        report(f"Fitted without {gpu}, families held out too", there, fit.without(gpu, single, fitted))
    for gpu in sorted({table.labels[0]["gpu"] for table in single}):
        rest = [table for table in single if table.labels[0]["gpu"] != gpu]
        there = [table for table in single if table.labels[0]["gpu"] == gpu]
        report(f"Operators fitted without {gpu}", there, fit.run(rest, [], fit.OPERATORS), ("gpu", "table"))


if __name__ == "__main__":
    main()
