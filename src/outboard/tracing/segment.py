"""The operators and tensors of one optimizer step, written down move by move."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from outboard.tracing.affine import constant
from outboard.tracing.launches import foreach_launches
from outboard.tracing.parameters import Parameter
from outboard.tracing.recipes import Move, Recipe
from outboard.tracing.tables import table_of
from outboard.types.trace import DTYPES, KINDS, PHASES, OperatorTable

_DTYPE_OF_ITEMSIZE = {8: "fp64", 4: "fp32", 1: "fp8"}


@dataclass
class _Row:
    """One operator; bytes, FLOPs and elements are those of all parameters of a group."""

    name: str
    dtype: int
    flops: float
    read: float
    written: float
    elements: float
    kernels: int


@dataclass
class LaidOut:
    """One tensor of the optimizer; ``death`` None means that it outlives the step."""

    category: str
    size: float
    birth: int
    death: int | None


@dataclass
class Segment:
    """Grows with each move. ``position`` is that of the next operator, ``half`` the type of two-byte parameters."""

    position: int
    half: str
    rows: list[_Row] = field(default_factory=list[_Row])
    states: list[LaidOut] = field(default_factory=list[LaidOut])
    temporaries: list[LaidOut] = field(default_factory=list[LaidOut])

    def step(self, recipe: Recipe, parameters: Sequence[Parameter]) -> None:
        """Lay out the states of some parameters of one type, then run each move of the recipe over all of them."""
        for parts in recipe.states.values():
            for size in parts:
                for p in parameters:
                    self.states += [LaidOut("optimizer", size(p), -1, None)] * (p.count if size(p) else 0)
        born: dict[str, int] = {}
        for move in recipe.moves:
            for name in set(move.written) & set(recipe.temporaries):
                born.setdefault(name, self.position)
            self.run(move, recipe, parameters)
            for name in move.frees:
                self.temporaries += [
                    LaidOut("temporaries", recipe.temporaries[name](p), born[name], self.position)
                    for p in _at_once(recipe, parameters, name)
                ]

    def run(self, move: Move, recipe: Recipe, parameters: Sequence[Parameter]) -> None:
        """Write down one operator."""
        itemsize = parameters[0].itemsize
        touched = {name: recipe.list_bytes(name, parameters) for name in (*move.read, *move.written)}
        elements = min(sum(p.elements * p.count for p in parameters), max(touched.values()) / itemsize)
        dtype = self.half if itemsize == 2 else _DTYPE_OF_ITEMSIZE.get(itemsize, "fp32")
        self.rows.append(
            _Row(
                name=f"optimizer.{move.name}",
                dtype=DTYPES.index(dtype),
                flops=move.flops * elements,
                read=sum(touched[name] for name in move.read),
                written=sum(touched[name] for name in move.written),
                elements=elements,
                kernels=_kernels(move, parameters),
            )
        )
        self.position += 1

    def operators(self) -> OperatorTable:
        """The operators as a table; nothing in it depends on the batch."""
        rows = self.rows
        ones = np.ones(len(rows))
        read = constant(np.array([row.read for row in rows], float))
        written = constant(np.array([row.written for row in rows], float))
        kernels = [row.kernels for row in rows]
        return table_of(
            tuple(row.name for row in rows),
            {
                "kind": KINDS.index("optimizer") * ones,
                "phase": PHASES.index("optimizer") * ones,
                "dtype": [row.dtype for row in rows],
                "count": ones,
                "taps": ones,
                "stride": ones,
                "kernels": kernels,
                # Compilers are given the model alone; the optimizer runs as it did.
                "fused_kernels": kernels,
            },
            {
                "flops": constant(np.array([row.flops for row in rows], float)),
                "read": read,
                "written": written,
                "m": constant(np.array([row.elements for row in rows], float)),
                "n": constant(ones),
                "k": constant(ones),
                "g": constant(ones),
                "fused_read": read,
                "fused_written": written,
            },
        )


def _at_once(recipe: Recipe, parameters: Sequence[Parameter], name: str) -> list[Parameter]:
    """The parameters whose temporary ``name`` is there at the same time, each as often as it occurs.

    In a loop that is one, and for the update the one before, whose name is still bound: taken to be the two largest.
    """
    every = [p for p in parameters for _one in range(p.count)]
    if not recipe.one_by_one:
        return every
    ranked = sorted(every, key=lambda p: -p.size)
    return ranked[: 2 if name == "update" else 1]


def _kernels(move: Move, parameters: Sequence[Parameter]) -> int:
    if not move.depth:
        return move.kernels * sum(p.count for p in parameters)
    return foreach_launches([(p.elements, p.count) for p in parameters], move.depth, move.scalars)
