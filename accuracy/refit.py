"""Fit the time model without each part that it is judged on: ``python -m accuracy.refit``, ten minutes on two cores.

Four fits leave out a quarter of the families of vision models each, the next one GPU each with all its tables. Run
``python -m accuracy.fit --write`` first: the last ones start from what ships.
"""

import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache

import numpy as np

from accuracy import fit, reference, refits, transfer, vision
from accuracy.observations import Observations
from accuracy.subjects import by_gpu, others
from outboard.perf.time import coefficients
from outboard.perf.time.coefficients import Coefficients

NAMES = fit.OPERATORS + fit.MODELS


@cache
def tables() -> tuple[tuple[Observations, ...], tuple[Observations, ...]]:
    """Single operators, and whole vision models, by GPU."""
    folder = reference.require()
    return tuple(fit.operator_tables(folder)), tuple(fit.model_tables(folder, reference.TRACES, vision.MODELS))


def parts() -> list[str]:
    """What is left out of each fit."""
    single, whole = tables()
    chips = sorted({refits.chip(table.labels[0]["gpu"]) for table in (*single, *whole)})
    return [*(f"families {number}" for number in range(vision.QUARTERS)), *(f"without {chip}" for chip in chips)]


def refitted(part: str) -> tuple[str, dict[str, float]]:
    """The coefficients fitted without ``part``."""
    kind, _space, name = part.partition(" ")
    single, whole = tables()
    if kind == "families":
        rest = [table.take(_elsewhere(table, int(name))) for table in whole]
    else:
        single = tuple(table for table in single if refits.chip(table.labels[0]["gpu"]) != name)
        rest = [table for table in whole if refits.chip(table.labels[0]["gpu"]) != name]
    best = fit.run(list(single), rest, NAMES)
    print(part, file=sys.stderr, flush=True)
    return part, _values(best, NAMES)


def _elsewhere(table: Observations, quarter: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([vision.quarter(label["family"]) != quarter for label in table.labels], dtype=np.bool_)


def transferred() -> dict[str, dict[str, float]]:
    """What single tables know, fitted on their other GPUs."""
    folder, shipped = reference.require(), coefficients.load()
    found: dict[str, dict[str, float]] = {}
    sweep = by_gpu(others(folder / "precision_sweep.csv"))
    for gpu in sweep:
        rest = [one for other in sweep if other != gpu for one in sweep[other][:: transfer.SAMPLED]]
        today = shipped.with_values(transfer.TODAY)
        names = (*transfer.OLD, *transfer.TODAY)
        found[f"old {gpu}"] = _values(transfer.fitted_on(rest, transfer.OLD, today), names)
    models = by_gpu(others(folder / "transformers_fp32.csv"))
    for gpu in transfer.AMD_GPUS:
        rest = [one for other in transfer.AMD_GPUS if other != gpu for one in models[other]]
        found[f"amd {gpu}"] = _values(transfer.fitted_on(rest, transfer.AMD, shipped), transfer.AMD)
    return found


def _values(c: Coefficients, names: tuple[str, ...]) -> dict[str, float]:
    return {name: float(f"{getattr(c, name):.5g}") for name in names}


def main() -> None:
    """Fit and write."""
    with ProcessPoolExecutor(min(os.cpu_count() or 1, 4)) as pool:
        found = dict(pool.map(refitted, parts()))
    found = {part: found[part] for part in parts()} | transferred()
    refits.PATH.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
