"""How long storages live once a compiler such as Inductor has fused a training step and chosen what to keep of it.

Eager autograd keeps what each operator's backward asks for. A compiler sees forward and backward together and keeps the
least from which it can make the rest again. Rules, after ``torch/_functorch/partitioners.py``
(``min_cut_rematerialization_partition``) with its defaults:

1. What a product, an attention, a convolution or any other boundary (:mod:`outboard.tracing.fusion`) wrote is not made
   again: what backward reads of it is kept.
2. What such a boundary reads in backward is kept, too: made again it would have to be written to memory all the same.
3. Everything else that backward reads is made again if its sources cost fewer bytes than itself, and else kept. Random
   masks are made again from their seed; sums and other reductions are kept.
4. What only members of one fused group touch is never in memory; all other storages die after their last reader.

Recomputation under checkpointing runs in backward and keeps eager lifetimes, less what rule 4 takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from outboard.tracing import fusion
from outboard.tracing.raw import RawOperator, RawStep, RawTensor

# Outlive the step, or belong to who called it: a compiler does not decide on them.
_GIVEN = frozenset({"weights", "inputs", "output", "gradients", "optimizer"})
_FUSIBLE = fusion.POINTWISE | fusion.ROW_WISE
# Operators that ask their second input for its shape alone.
_SHAPE_ONLY = ("nll_loss_backward", "nll_loss2d_backward")


def compiled_deaths(step: RawStep) -> list[int]:
    """Position at which each of ``step.tensors`` dies after compilation; that of its birth where it never is."""
    graph = _graph(step)
    kept = _kept(step, graph)
    return [_death(step, graph, kept, tensor) for tensor in step.tensors]


@dataclass(frozen=True)
class _Graph:
    """Who writes and who reads each storage, by positions of operators; ``end`` is where an operator's group runs."""

    writers: dict[int, list[int]]
    readers: dict[int, list[int]]
    group: list[int]
    end: list[int]
    size: dict[int, float]
    backward: int

    def read_in_backward(self, storage: int) -> list[int]:
        return [position for position in self.readers.get(storage, ()) if position >= self.backward]


def _graph(step: RawStep) -> _Graph:
    writers: dict[int, list[int]] = {}
    readers: dict[int, list[int]] = {}
    for position, operator in enumerate(step.operators):
        for storage in operator.outputs:
            writers.setdefault(storage, []).append(position)
        for storage in _read(operator):
            readers.setdefault(storage, []).append(position)
    group, end = [0] * len(step.operators), [0] * len(step.operators)
    for number, members in enumerate(fusion.plan(step.operators)):
        for position in members:
            group[position], end[position] = number, members[-1]
    backward = step.phase_start.get("backward", len(step.operators))
    return _Graph(writers, readers, group, end, {tensor.id: tensor.size for tensor in step.tensors}, backward)


def _read(operator: RawOperator) -> Sequence[int]:
    unread = 1 if operator.name.split(".")[-1] in _SHAPE_ONLY else len(operator.inputs)
    return [storage for number, storage in enumerate(operator.inputs) if number != unread]


def _kept(step: RawStep, graph: _Graph) -> dict[int, int]:
    """Storages of the forward pass that are kept for backward, with the last position that needs them."""
    chosen = _Chosen(step.operators, graph, {tensor.id for tensor in step.tensors if _is_given(tensor)})
    needed = [tensor for tensor in step.tensors if tensor.id not in chosen.given and tensor.birth < graph.backward]
    needed = [tensor for tensor in needed if graph.read_in_backward(tensor.id)]
    for tensor in needed:
        if _must_stay(step.operators, graph, tensor.id):
            chosen.keep(tensor.id, _last(graph, graph.read_in_backward(tensor.id)))
    for tensor in needed:
        if tensor.id not in chosen.until:
            chosen.provide(tensor.id, _last(graph, graph.read_in_backward(tensor.id)))
    return chosen.until


def _is_given(tensor: RawTensor) -> bool:
    return tensor.birth < 0 or tensor.category in _GIVEN


def _must_stay(operators: Sequence[RawOperator], graph: _Graph, storage: int) -> bool:
    """Rules 1 and 2."""
    readers = graph.read_in_backward(storage)
    return not _can_be_made(operators, graph, storage) or any(operators[at].kind not in _FUSIBLE for at in readers)


def _can_be_made(operators: Sequence[RawOperator], graph: _Graph, storage: int) -> bool:
    """Whether one fusible operator wrote it, and not as the little that a reduction or norm leaves beside."""
    writers = graph.writers.get(storage, [])
    if len(writers) != 1:
        return False
    operator = operators[writers[0]]
    if operator.kind not in _FUSIBLE or operator.kind == "reduction":
        return False
    largest = max(graph.size.get(other, 0.0) for other in operator.outputs)
    return operator.kind == "random" or graph.size[storage] >= largest


class _Chosen:
    """Storages kept so far, ``until`` the last position that needs each; grows with each :meth:`provide`."""

    def __init__(self, operators: Sequence[RawOperator], graph: _Graph, given: set[int]) -> None:
        self.operators, self.graph, self.given = operators, graph, given
        self.until: dict[int, int] = {}

    def keep(self, storage: int, until: int) -> None:
        self.until[storage] = max(until, self.until.get(storage, -1))

    def provide(self, storage: int, until: int) -> None:
        """See to it that backward has ``storage`` up to ``until``, at the least cost."""
        if storage in self.given:
            return
        if storage in self.until:
            self.keep(storage, until)
            return
        sources = self._sources(storage)
        if sources is None or self._cost(sources, self.graph.size[storage]) >= self.graph.size[storage]:
            self.keep(storage, until)
            return
        for source in sources:
            self.provide(source, until)

    def _sources(self, storage: int) -> list[int] | None:
        """What it is made from; None where it cannot be made again."""
        if not _can_be_made(self.operators, self.graph, storage):
            return None
        operator = self.operators[self.graph.writers[storage][0]]
        largest = max(self.graph.size.get(other, 0.0) for other in operator.outputs)
        if operator.kind == "random" and self.graph.size[storage] < largest:
            return []  # the mask, from its seed
        return [source for source in operator.inputs if source != storage]

    def _cost(self, sources: Sequence[int], limit: float) -> float:
        """Bytes to keep so that all of ``sources`` can be had; stops counting at ``limit``."""
        total = 0.0
        for source in sources:
            if source in self.given or source in self.until:
                continue
            size = self.graph.size.get(source, 0.0)
            deeper = self._sources(source)
            left = min(size, limit - total)
            total += size if deeper is None or left <= 0 else min(size, self._cost(deeper, left))
            if total >= limit:
                return total
        return total


def _last(graph: _Graph, positions: Sequence[int]) -> int:
    return max(graph.end[position] for position in positions)


def _death(step: RawStep, graph: _Graph, kept: dict[int, int], tensor: RawTensor) -> int:
    if _is_given(tensor) or tensor.death >= len(step.operators):
        return tensor.death
    readers, writers = graph.readers.get(tensor.id, []), graph.writers.get(tensor.id, [])
    if tensor.id in kept:
        return kept[tensor.id] + 1
    if tensor.birth < graph.backward:  # what backward reads of it is made again
        readers = [position for position in readers if position < graph.backward]
    touching = [*readers, *writers]
    if not touching:
        return tensor.death
    fused = len(touching) > 1 or not readers
    if fused and len({graph.group[position] for position in touching}) == 1 and _in_group(step, writers):
        return tensor.birth
    # A group runs at its last member, but nothing that eager execution frees earlier has to wait for that.
    return max(min(_last(graph, touching) + 1, tensor.death), tensor.birth)


def _in_group(step: RawStep, writers: Sequence[int]) -> bool:
    return all(step.operators[position].kind in _FUSIBLE for position in writers)
