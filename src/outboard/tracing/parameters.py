"""The parameters of a model, grouped by shape."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from outboard.types.trace import IntArray, ParameterTable


@dataclass(frozen=True)
class ShapedParameterTable(ParameterTable):
    """A parameter table that also knows how many matrices of (second to last, last dimension) each parameter holds.

    ``rows`` are the product of all dimensions but the last, so a 3x3 convolution of 64 to 128 channels has 128 * 64 * 3
    rows, 3 columns and 128 * 64 planes; a vector has 0 planes. Adafactor keeps one row and one column factor per plane.
    """

    planes: IntArray


@dataclass(frozen=True)
class Parameter:
    """One row of the table: ``count`` parameters of ``planes`` matrices of ``rows`` x ``columns`` (planes 0 for a
    vector).
    """

    rows: int
    columns: int
    planes: int
    count: int
    itemsize: int
    trainable: bool

    @property
    def elements(self) -> int:
        """Elements of one such parameter."""
        return self.rows * self.columns

    @property
    def size(self) -> int:
        """Size of one such parameter [B]."""
        return self.elements * self.itemsize


def parameter_table(parameters: Sequence[tuple[tuple[int, ...], int, bool]]) -> ShapedParameterTable:
    """Group (shape, itemsize [B], trainable), keeping the order of first appearance."""
    groups = Counter((*_matrix(shape), itemsize, trainable) for shape, itemsize, trainable in parameters)
    columns = list(zip(*groups, strict=True)) or [()] * 5
    rows, last, planes, itemsize = (np.array(column, np.int64) for column in columns[:4])
    return ShapedParameterTable(
        rows=rows,
        columns=last,
        count=np.array(list(groups.values()), np.int64),
        itemsize=itemsize,
        trainable=np.array(columns[4], np.bool_),
        planes=planes,
    )


def _matrix(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """(rows, columns, planes) of a shape."""
    if len(shape) < 2:
        return prod(shape), 1, 0
    return prod(shape[:-1]), shape[-1], prod(shape[:-2])


def each(table: ParameterTable) -> Iterator[Parameter]:
    """The rows of a table as plain objects; a table without planes is taken to hold matrices and vectors only."""
    planes = getattr(table, "planes", None)
    for row in range(len(table.rows)):
        columns = int(table.columns[row])
        yield Parameter(
            rows=int(table.rows[row]),
            columns=columns,
            planes=int(planes[row]) if planes is not None else int(columns > 1),
            count=int(table.count[row]),
            itemsize=int(table.itemsize[row]),
            trainable=bool(table.trainable[row]),
        )
