"""Affine fits: a quantity seen at several batch sizes becomes ``constant + per_batch * batch``."""

import numpy as np
from numpy.typing import NDArray

from outboard.types.trace import Affine, FloatArray, IntArray

# Relative to the value itself. Every column is a sum of products of whole numbers, so that an affine one fits to
# rounding.
TOLERANCE = 1e-6


def fit(values: FloatArray, batches: FloatArray) -> Affine:
    """The line through the first two batch sizes. ``values`` has shape (rows, len(batches)), ``batches`` at least
    two.
    """
    per_batch = _tidy((values[:, 1] - values[:, 0]) / (batches[1] - batches[0]))
    return Affine(_tidy(values[:, 0] - per_batch * batches[0]), per_batch)


def _tidy(values: FloatArray) -> FloatArray:
    """Whole numbers where only rounding keeps them from being whole, and no negative zero: they store and group
    better.
    """
    whole = np.round(values)
    near = np.abs(values - whole) <= 1e-9 * np.maximum(np.abs(values), 1.0)
    return np.where(near, whole, values) + 0.0


def misses(affine: Affine, values: FloatArray, batches: FloatArray) -> FloatArray:
    """By how much the fit misses the values at the last batch size, shape (rows,), zero within the tolerance."""
    expected = affine.constant + affine.per_batch * batches[-1]
    miss = np.abs(values[:, -1] - expected)
    return np.where(miss <= TOLERANCE * np.maximum(np.abs(values[:, -1]), 1.0), 0.0, miss)


def total(affine: Affine, weights: FloatArray, batch: float) -> float:
    """Weighted sum of a column at one batch size."""
    return float(weights @ (affine.constant + affine.per_batch * batch))


def take(affine: Affine, rows: slice | IntArray | NDArray[np.bool_]) -> Affine:
    """The same column restricted to some rows."""
    return Affine(affine.constant[rows], affine.per_batch[rows])


def joined(*parts: Affine) -> Affine:
    """Columns of several tables, one after the other."""
    return Affine(
        np.concatenate([part.constant for part in parts]),
        np.concatenate([part.per_batch for part in parts]),
    )


def constant(values: FloatArray) -> Affine:
    """A column that does not depend on the batch."""
    return Affine(np.asarray(values, float), np.zeros(len(values)))
