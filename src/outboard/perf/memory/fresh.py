"""What must hold in a freshly recorded step, made so where a trace leaves it open.

A recorder sees storages and the moments at which they vanish. Two things it cannot always tell: that a gradient found
after the step is a storage that backward made, seen under another name; and that a storage which vanished as backward
ended did not live on through the optimizer.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from outboard.types.trace import IntArray, TensorTable


def gradients_where_born(table: TensorTable, gradients: int) -> tuple[IntArray, NDArray[np.bool_]]:
    """``(category, keep)``: gradients said to be there before the step are moved to where backward makes them.

    Each is matched with the first storage of its size that is born in backward and outlives it; ``keep`` leaves out the
    early twin. One without a match stays as it is.
    """
    category = np.array(table.category, dtype=np.int64)
    keep = np.ones(len(category), dtype=np.bool_)
    early = np.flatnonzero((category == gradients) & (table.birth < 0))
    if not len(early):
        return category, keep
    waiting: Counter[float] = Counter(table.size.constant[early].tolist())
    sizes, made = table.size.constant.tolist(), np.flatnonzero(_left_by_backward(table)).tolist()
    for index in made:
        if waiting[sizes[index]] > 0 and table.size.per_batch[index] == 0:
            waiting[sizes[index]] -= 1
            category[index] = gradients
    for index in early.tolist():
        unmatched = waiting[sizes[index]] > 0
        keep[index] = unmatched
        waiting[sizes[index]] -= int(unmatched)
    return category, keep


def nothing_but_results_outlives_backward(table: TensorTable, category: IntArray, results: tuple[int, ...]) -> IntArray:
    """Deaths, with whatever the step makes and is no result dying when the optimizer begins at the latest."""
    optimizer = table.phase_start[3]
    within = (table.birth >= 0) & (table.birth < optimizer) & ~np.isin(category, results)
    return np.where(within, np.minimum(table.death, optimizer), table.death)


def _left_by_backward(table: TensorTable) -> NDArray[np.bool_]:
    _forward, _loss, backward, optimizer = table.phase_start
    return (table.birth >= backward) & (table.birth < optimizer) & (table.death >= optimizer)
