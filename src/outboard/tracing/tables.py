"""Whole operator tables: joined, restricted to some rows, and grouped."""

from collections.abc import Mapping

import numpy as np

from outboard.tracing.affine import joined, take
from outboard.types.trace import Affine, IntArray, OperatorTable

PLAIN_COLUMNS = ("kind", "phase", "dtype", "count", "taps", "stride", "kernels", "fused_kernels")
INT_COLUMNS = ("kind", "phase", "dtype", "taps", "stride")
AFFINE_COLUMNS = ("flops", "read", "written", "m", "n", "k", "g", "fused_read", "fused_written")


def table_of(name: tuple[str, ...], plain: Mapping[str, object], affine: Mapping[str, Affine]) -> OperatorTable:
    """An operator table from its columns, each cast to the type that it should have."""
    columns = {
        column: np.asarray(values, np.int64 if column in INT_COLUMNS else np.float64)
        for column, values in plain.items()
    }
    return OperatorTable(name=name, **columns, **affine)  # type: ignore[arg-type]


def join(first: OperatorTable, second: OperatorTable) -> OperatorTable:
    """The rows of one table after those of the other."""
    return table_of(
        first.name + second.name,
        {name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in PLAIN_COLUMNS},
        {name: joined(getattr(first, name), getattr(second, name)) for name in AFFINE_COLUMNS},
    )


def rows_of(table: OperatorTable, rows: IntArray) -> OperatorTable:
    """Some rows of a table, in the given order."""
    return table_of(
        tuple(table.name[row] for row in rows),
        {name: getattr(table, name)[rows] for name in PLAIN_COLUMNS},
        {name: take(getattr(table, name), rows) for name in AFFINE_COLUMNS},
    )


def group(table: OperatorTable) -> OperatorTable:
    """Identical rows become one with their number, in order of first appearance."""
    columns = [getattr(table, name) for name in PLAIN_COLUMNS if name != "count"]
    for name in AFFINE_COLUMNS:
        line: Affine = getattr(table, name)
        columns += [line.constant, line.per_batch]
    first: dict[tuple[object, ...], int] = {}
    count: dict[int, float] = {}
    for row, key in enumerate(zip(table.name, *(column.tolist() for column in columns), strict=True)):
        keeper = first.setdefault(key, row)
        count[keeper] = count.get(keeper, 0.0) + float(table.count[row])
    grouped = rows_of(table, np.array(list(count), np.int64))
    grouped.count[:] = list(count.values())
    return grouped
