"""The layers of a model, as far as the shapes of its parameters tell: what repeats, and what stands outside it."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from outboard.types.trace import FloatArray, IntArray, Trace

FEW = 2  # embeddings and head may have the same shape: what occurs no oftener says nothing about the layers
COVERED = 0.9  # share of all other bytes that must lie in layers [1]


@dataclass(frozen=True)
class Split:
    """Bytes of all parameters, of one layer, and of what belongs to no layer (embeddings, head). [B]"""

    total: float
    layer: float
    outside: float
    layers: int


def split(trace: Trace, trainable: bool = False) -> Split:
    """Split the parameters, or only the trainable ones; a model in which nothing repeats is one layer.

    A transformer has each shape of its layers once or a few times in every one of them, so the number of layers is the
    largest count that leaves little outside.
    """
    table = trace.parameters
    chosen = table.trainable if trainable else np.ones(len(table.count), dtype=np.bool_)
    size = (table.rows * table.columns * table.itemsize)[chosen].astype(np.float64)
    count = table.count[chosen]
    total = float((size * count).sum())
    number = _layers(count, size)
    if number < 2:
        return Split(total, total, 0.0, 1)
    each = np.floor(count / number)
    layer = float((size * each).sum())
    return Split(total, layer, max(total - layer * number, 0.0), number)


def width(trace: Trace) -> float:
    """Length of the commonest vector among the parameters: a transformer's hidden size; 1 without vectors."""
    table = trace.parameters
    found: Counter[int] = Counter()
    for rows, columns, count in zip(table.rows.tolist(), table.columns.tolist(), table.count.tolist(), strict=True):
        found[rows] += count if columns == 1 else 0
    return float(max(found, key=lambda length: (found[length], length))) if found else 1.0


def _layers(count: IntArray, size: FloatArray) -> int:
    repeated = count > FEW if (count > FEW).any() else count > 1
    candidates = np.unique(count[repeated])
    total = float((size * count)[repeated].sum())
    for number in candidates[::-1].tolist():
        inside = float((size * np.floor(count / number) * number)[repeated].sum())
        if inside >= COVERED * total:
            return int(number)
    return 1
