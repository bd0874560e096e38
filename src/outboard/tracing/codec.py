"""A trace as plain JSON values and back: integers where values are whole, and every distinct number written once.

Columns of numbers are lists of positions in one sorted pool, births are written as steps from the last birth and deaths
as lifetimes, so that the hundred identical layers of a model look alike to the compressor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from outboard.tracing.parameters import ShapedParameterTable
from outboard.tracing.tables import AFFINE_COLUMNS, INT_COLUMNS, PLAIN_COLUMNS, table_of
from outboard.types.trace import (
    CATEGORIES,
    DTYPES,
    KINDS,
    PHASES,
    Affine,
    IntArray,
    OperatorTable,
    ParameterTable,
    TensorTable,
    Trace,
    TraceInfo,
)

_NAMES: dict[str, tuple[str, ...]] = {"kind": KINDS, "phase": PHASES, "dtype": DTYPES}


class MalformedError(ValueError):
    """The plain values are not those of a trace; the text says where."""


class Pool:
    """The distinct numbers of a trace."""

    def __init__(self, numbers: Sequence[float] = ()) -> None:
        self._numbers = list(numbers)
        self._index = {number: index for index, number in enumerate(numbers)}

    def put(self, values: np.ndarray) -> list[int]:
        """Positions of the values, after they were added."""
        out: list[int] = []
        for value in values.tolist():
            if value not in self._index:
                self._index[value] = len(self._numbers)
                self._numbers.append(value)
            out.append(self._index[value])
        return out

    def get(self, positions: IntArray) -> np.ndarray:
        """Values at the positions."""
        if len(positions) and not 0 <= int(positions.min()) <= int(positions.max()) < len(self._numbers):
            raise MalformedError("a number is not in the pool")
        return np.array(self._numbers, np.float64)[positions] if len(positions) else np.zeros(0)

    def plain(self) -> list[float | int]:
        """The numbers as JSON values; whole ones as integers, which are shorter."""
        return [int(number) if float(number).is_integer() else number for number in self._numbers]


def to_plain(trace: Trace) -> dict[str, Any]:
    """The trace as dicts, lists, text and numbers."""
    pool = Pool()
    plain = {
        "info": asdict(trace.info),
        "operators": _plain_operators(trace.operators, pool),
        "tensors": _plain_tensors(trace.tensors, pool),
        "parameters": _plain_parameters(trace.parameters),
        "inputs": {
            "bytes": _plain_affine(trace.input_bytes, pool),
            "elements": _plain_affine(trace.input_elements, pool),
        },
        **({} if trace.evaluation is None else {"evaluation": _plain_affine(trace.evaluation, pool)}),
        "not_affine": list(trace.not_affine),
        "not_affine_error": trace.not_affine_error,
    }
    return {"pool": pool.plain(), **plain}


def from_plain(plain: Mapping[str, Any]) -> Trace:
    """The trace of :func:`to_plain`; raises :class:`MalformedError` whatever is wrong with the values."""
    try:
        pool = Pool([float(number) for number in plain["pool"]])
        return Trace(
            info=_info(plain["info"]),
            operators=_operators(plain["operators"], pool),
            tensors=_tensors(plain["tensors"], pool),
            parameters=_parameters(plain["parameters"]),
            input_bytes=_affine(plain["inputs"]["bytes"], pool),
            input_elements=_affine(plain["inputs"]["elements"], pool),
            not_affine=tuple(str(name) for name in plain["not_affine"]),
            not_affine_error=float(plain["not_affine_error"]),
            evaluation=_affine(plain["evaluation"], pool) if "evaluation" in plain else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, IndexError) as error:
        raise MalformedError(f"{type(error).__name__}: {error}") from error


def _plain_affine(affine: Affine, pool: Pool) -> list[list[int]]:
    return [pool.put(affine.constant), pool.put(affine.per_batch)]


def _affine(plain: Sequence[Sequence[int]], pool: Pool, rows: int | None = None) -> Affine:
    constant, per_batch = (pool.get(_ints(part, rows)) for part in plain)
    if len(constant) != len(per_batch):
        raise MalformedError("the two parts of a column differ in length")
    return Affine(constant, per_batch)


def _ints(values: Sequence[int], rows: int | None = None) -> IntArray:
    array = np.array(values, np.int64) if len(values) else np.zeros(0, np.int64)
    if array.ndim != 1 or (rows is not None and len(array) != rows):
        raise MalformedError(f"{len(array)} values where {rows} were due")
    return array


def _plain_operators(table: OperatorTable, pool: Pool) -> dict[str, Any]:
    names = list(dict.fromkeys(table.name))
    plain: dict[str, Any] = {"names": names, "name": [names.index(name) for name in table.name]}
    for column in PLAIN_COLUMNS:
        values = getattr(table, column)
        plain[column] = values.tolist() if column in INT_COLUMNS else pool.put(values)
    for column in AFFINE_COLUMNS:
        plain[column] = _plain_affine(getattr(table, column), pool)
    # The words behind the numbers, so that a later list of kinds may be ordered otherwise.
    plain["words"] = {column: list(words) for column, words in _NAMES.items()}
    return plain


def _operators(plain: Mapping[str, Any], pool: Pool) -> OperatorTable:
    names = [str(name) for name in plain["names"]]
    rows = len(plain["name"])
    columns: dict[str, object] = {}
    for column in PLAIN_COLUMNS:
        values = _ints(plain[column], rows)
        if column in _NAMES:
            values = _translated(values, plain["words"][column], _NAMES[column])
        columns[column] = values if column in INT_COLUMNS else pool.get(values)
    return table_of(
        tuple(names[index] for index in _within(_ints(plain["name"]), len(names)).tolist()),
        columns,
        {column: _affine(plain[column], pool, rows) for column in AFFINE_COLUMNS},
    )


def _translated(values: IntArray, stored: Sequence[str], known: tuple[str, ...]) -> IntArray:
    """Positions in the stored list of words turned into positions in ours."""
    return np.array([known.index(word) for word in stored], np.int64)[_within(values, len(stored))]


def _within(values: IntArray, length: int) -> IntArray:
    if len(values) and not 0 <= int(values.min()) <= int(values.max()) < length:
        raise MalformedError(f"a value is outside 0..{length - 1}")
    return values


def _plain_tensors(table: TensorTable, pool: Pool) -> dict[str, Any]:
    compiled = table.compiled_death
    return {
        **({} if compiled is None else {"compiled_life": (compiled - table.birth).tolist()}),
        "birth": np.diff(table.birth, prepend=0).tolist(),
        "life": (table.death - table.birth).tolist(),
        "category": table.category.tolist(),
        "size": _plain_affine(table.size, pool),
        "steps": table.steps,
        "phase_start": list(table.phase_start),
        "words": list(CATEGORIES),
    }


def _tensors(plain: Mapping[str, Any], pool: Pool) -> TensorTable:
    rows = len(plain["birth"])
    birth = np.cumsum(_ints(plain["birth"], rows))
    forward, loss, backward, optimizer = (int(start) for start in plain["phase_start"])
    return TensorTable(
        birth=birth,
        death=birth + _ints(plain["life"], rows),
        category=_translated(_ints(plain["category"], rows), plain["words"], CATEGORIES),
        size=_affine(plain["size"], pool, rows),
        steps=int(plain["steps"]),
        phase_start=(forward, loss, backward, optimizer),
        compiled_death=birth + _ints(plain["compiled_life"], rows) if "compiled_life" in plain else None,
    )


def _plain_parameters(table: ParameterTable) -> dict[str, list[int]]:
    plain = {name: getattr(table, name).astype(np.int64).tolist() for name in ("rows", "columns", "count", "itemsize")}
    planes = table.planes if isinstance(table, ShapedParameterTable) else table.columns > 1
    return {**plain, "trainable": table.trainable.astype(np.int64).tolist(), "planes": planes.astype(np.int64).tolist()}


def _parameters(plain: Mapping[str, Sequence[int]]) -> ShapedParameterTable:
    rows = len(plain["rows"])
    columns = {name: _ints(plain[name], rows) for name in ("rows", "columns", "count", "itemsize", "planes")}
    return ShapedParameterTable(**columns, trainable=_ints(plain["trainable"], rows).astype(np.bool_))


def _info(plain: Mapping[str, Any]) -> TraceInfo:
    known = {field.name for field in fields(TraceInfo)}
    values = {name: value for name, value in plain.items() if name in known}
    for name in ("traced_batches", "warnings"):
        values[name] = tuple(values[name])
    return TraceInfo(**values)
