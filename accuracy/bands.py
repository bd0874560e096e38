"""How wide a band must be: ``python -m accuracy.bands [--write]`` turns held-out residuals into spreads by regime.

All held-out families set the spread that ships, in ``uncertainty/residuals.toml``. How well such a spread holds
elsewhere is seen by setting it with one half of them, by hash, and counting in the other, both ways.
"""

import argparse
from pathlib import Path

import numpy as np

from accuracy import fit, reference, vision
from accuracy.observations import Observations, log_errors
from outboard.perf.time import coefficients
from outboard.types.trace import FloatArray
from outboard.uncertainty import residuals
from outboard.uncertainty.bands import Z80

# A band must hold its share on rows that did not set it, so it is set a little wide.
SHARE = 0.82


def spread(errors: FloatArray) -> float:
    """Standard deviation of a lognormal whose 80 % band holds ``SHARE`` of the errors [1]."""
    return float(np.quantile(np.abs(errors), SHARE) / Z80)


def coverage(errors: FloatArray, sigma: float) -> float:
    """Share of errors inside the 80 % band [1]."""
    return float(np.mean(np.abs(errors) <= Z80 * sigma))


def halves(tables: list[Observations], errors: list[FloatArray], training: bool) -> tuple[FloatArray, FloatArray]:
    """Errors of one task, split by the family's hash."""
    first: list[float] = []
    second: list[float] = []
    for table, values in zip(tables, errors, strict=True):
        for label, trains, error in zip(table.labels, table.training, values, strict=True):
            if bool(trains) == training:
                (first if vision.hashed(label["family"] + "band") % 2 else second).append(float(error))
    return np.array(first), np.array(second)


def unseen_architecture(folder: Path, cache: Path, models: int) -> tuple[list[Observations], list[FloatArray]]:
    """Held-out families on a GPU that the fit did not see either, for each GPU in turn."""
    single = fit.operator_tables(folder)
    fitted = fit.model_tables(folder, cache, models, judged=False)
    judged = fit.model_tables(folder, cache, models, judged=True)
    return judged, [log_errors(table, fit.without(table.labels[0]["gpu"], single, fitted)) for table in judged]


def main() -> None:
    """Print spread and coverage by regime, and with ``--write`` keep the spreads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=reference.TRACES, help="folder of traces")
    parser.add_argument("--models", type=int, default=320, help="how many models to trace")
    parser.add_argument("--write", action="store_true", help="write residuals.toml")
    options = parser.parse_args()
    folder = reference.require()
    shipped = coefficients.load()
    seen = fit.model_tables(folder, options.cache, options.models, judged=True)
    known = (seen, [log_errors(table, shipped) for table in seen])
    unknown = unseen_architecture(folder, options.cache, options.models)
    found: dict[tuple[str, str], float] = {}
    for regime, (tables, errors) in (("measured_architecture", known), ("other_architecture", unknown)):
        for task, training in (("infer", False), ("train", True)):
            if training and regime == "other_architecture":
                continue  # one GPU has all the timings of training; residuals.toml says where that spread is from
            one, two = halves(tables, errors, training)
            both = np.concatenate([one, two])
            found[task, regime] = spread(both)
            crossed = (coverage(one, spread(two)) * len(one) + coverage(two, spread(one)) * len(two)) / len(both)
            print(f"{task:6s}{regime:22s} sigma {found[task, regime]:.3f}  n {len(both)}  held elsewhere {crossed:.0%}")
    if options.write:
        residuals.write(found)


if __name__ == "__main__":
    main()
