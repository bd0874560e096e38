"""Errors of groups of predictions: how many are covered, how large they are, how often the band holds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outboard.validation.predict import Prediction

# What rows can be grouped by, and what they are grouped by unless told otherwise.
BY = (
    "task",
    "gpu",
    "precision",
    "family",
    "workload",
    "quantity",
    "compiled",
    "memory_format",
    "num_gpus",
    "source",
)
DEFAULT_BY = ("task", "gpu", "precision", "family")


@dataclass(frozen=True)
class Summary:
    """Ratios [1], None where no row says anything; errors are (forecast − measured) / measured."""

    name: str
    labels: dict[str, str]
    rows: int
    covered: int
    median_ape: float | None  # of the absolute error
    p90_ape: float | None
    bias: float | None  # median of the error with its sign: above 0 forecasts are too high
    band_coverage: float | None  # share of the measurements inside the stated 80 % band


def summarise(predictions: Sequence[Prediction], name: str = "", labels: dict[str, str] | None = None) -> Summary:
    """The errors of some predictions taken together."""
    errors = np.array([one.error for one in predictions if one.error is not None])
    inside = [one.inside for one in predictions if one.inside is not None]
    some = len(errors) > 0
    return Summary(
        name=name,
        labels=labels or {},
        rows=len(predictions),
        covered=len(errors),
        median_ape=float(np.median(np.abs(errors))) if some else None,
        p90_ape=float(np.quantile(np.abs(errors), 0.9)) if some else None,
        bias=float(np.median(errors)) if some else None,
        band_coverage=sum(inside) / len(inside) if inside else None,
    )


def grouped(predictions: Sequence[Prediction], by: Sequence[str] = DEFAULT_BY) -> list[Summary]:
    """One summary for each combination of the labels ``by``, the one with the most rows first."""
    groups: dict[tuple[str, ...], list[Prediction]] = {}
    for one in predictions:
        groups.setdefault(tuple(one.case.labels[label] for label in by), []).append(one)
    order = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return [summarise(members, " ".join(key), dict(zip(by, key, strict=True))) for key, members in order]


def worst(predictions: Sequence[Prediction], count: int) -> list[Prediction]:
    """The ``count`` predictions that are furthest off, furthest first."""
    return sorted((one for one in predictions if one.covered), key=lambda one: -abs(one.error or 0.0))[:count]
