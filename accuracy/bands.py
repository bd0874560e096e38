"""How wide a band must be: ``python -m accuracy.bands [--write]`` turns left-out residuals into spreads by regime.

All families set the spread that ships, in ``uncertainty/residuals.toml``, each by the fit that never saw it. How well
such a spread holds elsewhere is seen by setting it with one half of them, by hash, and counting in the other.
"""

import argparse

import numpy as np

from accuracy import refit, refits, vision
from accuracy.observations import Observations, log_errors
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


def left_out(tables: tuple[Observations, ...]) -> list[FloatArray]:
    """Errors of each row by the fit that never saw its family."""
    found: list[FloatArray] = []
    for table in tables:
        errors = np.zeros(len(table))
        quarters = np.array([vision.quarter(label["family"]) for label in table.labels])
        for number in np.unique(quarters):
            mine = quarters == number
            family = next(label["family"] for label, here in zip(table.labels, mine, strict=True) if here)
            errors[mine] = log_errors(table.take(mine), refits.without_family(family))
        found.append(errors)
    return found


def main() -> None:
    """Print spread and coverage by regime, and with ``--write`` keep the spreads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write residuals.toml")
    options = parser.parse_args()
    _single, whole = refit.tables()
    elsewhere = [log_errors(table, refits.without_gpu(table.labels[0]["gpu"])) for table in whole]
    found: dict[tuple[str, str], float] = {}
    for regime, errors in (("measured_architecture", left_out(whole)), ("other_architecture", elsewhere)):
        for task, training in (("infer", False), ("train", True)):
            if training and regime == "other_architecture":
                continue  # one GPU has all the timings of training; residuals.toml says where that spread is from
            one, two = halves(list(whole), errors, training)
            both = np.concatenate([one, two])
            found[task, regime] = spread(both)
            crossed = (coverage(one, spread(two)) * len(one) + coverage(two, spread(one)) * len(two)) / len(both)
            print(f"{task:6s}{regime:22s} sigma {found[task, regime]:.3f}  n {len(both)}  held elsewhere {crossed:.0%}")
    if options.write:
        residuals.write(found)


if __name__ == "__main__":
    main()
