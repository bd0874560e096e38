"""What a compiler such as Inductor leaves of a list of operators: fewer kernels, and no bytes for what stays on chip.

Rules, few on purpose:

1. Elementwise operators, copies and random masks (*pointwise*), and norms, softmaxes and reductions (*row-wise*) can be
   fused. Everything else (products, convolutions, attention, pooling, gathers, sorts ...) is a boundary and keeps its
   cost.
2. An operator joins the group that wrote one of its inputs if it runs over as many elements as the group does, or over
   as many as the group's reduction leaves. Groups that meet in one operator become one.
3. A group holds one row-wise operator, or several reductions that leave equally many elements.
4. A group is launched, and so closed, as soon as an operator that cannot join reads what it wrote or overwrites what it
   read, and at the end of a phase. A group can hence run where its last member stood, and groups never wait for each
   other.
5. A group reads each storage that it did not write once, and writes each storage that somebody outside reads later
   (which includes what autograd saved for the backward pass) or that outlives the step. The kernels of a group are
   those of its member with most.

Not modelled: recomputation of cheap operators in the backward pass, operators that share an input but not a result, and
templates that fuse into a matrix product. The columns are hence an upper bound of the traffic after compilation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from outboard.tracing.raw import RawOperator, RawStep

POINTWISE = frozenset({"elementwise", "copy", "random"})
ROW_WISE = frozenset({"norm", "norm_backward", "softmax", "softmax_backward", "reduction"})

_ITEMSIZE = {
    "fp64": 8,
    "int64": 8,
    "complex": 8,
    "fp16": 2,
    "bf16": 2,
    "int16": 2,
    "fp8": 1,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
}


@dataclass(slots=True)
class FusedCost:
    """What remains of one operator after fusion: traffic [B] and kernels."""

    read: float = 0.0
    written: float = 0.0
    kernels: float = 0.0


@dataclass(eq=False, slots=True)
class _Group:
    phase: str
    elements: float
    reduced: float | None = None
    row_wise: str = ""
    open: bool = True
    members: list[int] = field(default_factory=list[int])

    def accepts(self, operator: RawOperator) -> bool:
        """Rules 2 to 4 for one operator and one group that it reads from."""
        if not self.open or self.phase != operator.phase:
            return False
        size = elements(operator)
        if operator.kind in POINTWISE:
            return size in (self.elements, self.reduced)
        if size != self.elements:
            return False
        return not self.row_wise or (self.row_wise == operator.kind == "reduction" and self.reduced == operator.m)

    def absorb(self, other: "_Group") -> None:
        self.members = sorted(self.members + other.members)
        self.reduced = self.reduced or other.reduced
        self.row_wise = self.row_wise or other.row_wise
        other.open = False

    def add(self, position: int, operator: RawOperator) -> None:
        self.members.append(position)
        if operator.kind in ROW_WISE:
            self.row_wise = operator.kind
            self.reduced = None if operator.kind.startswith("softmax") else operator.m


def elements(operator: RawOperator) -> float:
    """Elements an operator runs over: of its input for a reduction, of its result otherwise."""
    if operator.kind in ("norm", "norm_backward"):
        return operator.m * operator.n
    if operator.kind == "reduction":
        return max(operator.input_bytes, default=0.0) / _ITEMSIZE.get(operator.dtype, 4)
    return operator.m


def plan(operators: Sequence[RawOperator]) -> list[list[int]]:
    """Positions of the operators of each group, in order of the groups' last members; every operator is in one
    group.
    """
    groups: list[_Group] = []
    writer: dict[int, _Group] = {}
    readers: dict[int, list[_Group]] = {}
    owner: dict[_Group, _Group] = {}
    for position, operator in enumerate(operators):
        touched = _unique(_resolve(owner, writer[s]) for s in operator.inputs if s in writer)
        group, absorbed = _choose(operator, touched)
        if not group.members:
            groups.append(group)
        for other in absorbed:
            owner[other] = group
        group.add(position, operator)
        overwritten = [_resolve(owner, reader) for s in operator.outputs for reader in readers.get(s, ())]
        for other in [*touched, *overwritten]:
            if other is not group:
                other.open = False
        for storage in operator.inputs:
            readers.setdefault(storage, []).append(group)
        for storage in operator.outputs:
            writer[storage] = group
            readers[storage] = [group]
    alive = [group for group in groups if group not in owner]
    return [group.members for group in sorted(alive, key=lambda group: group.members[-1])]


def _choose(operator: RawOperator, touched: list[_Group]) -> tuple[_Group, list[_Group]]:
    """The group an operator belongs to, new or old, and the groups that this one swallows."""
    fusible = operator.kind in POINTWISE or operator.kind in ROW_WISE
    chosen = [group for group in touched if fusible and group.accepts(operator)]
    if not chosen:
        return _Group(operator.phase, elements(operator), open=fusible), []
    keeper, absorbed = chosen[0], list[_Group]()
    for other in chosen[1:]:
        if other.elements == keeper.elements and not (other.row_wise and keeper.row_wise):
            keeper.absorb(other)
            absorbed.append(other)
    return keeper, absorbed


def _resolve(owner: dict[_Group, _Group], group: _Group) -> _Group:
    while group in owner:
        group = owner[group]
    return group


def _unique(groups: Iterable[_Group]) -> list[_Group]:
    return list(dict.fromkeys(groups))


def fused_costs(step: RawStep, groups: Sequence[Sequence[int]]) -> list[FusedCost]:
    """Cost left of each operator under the given grouping; the groups may have been planned at another batch size."""
    readers: dict[int, list[int]] = {}
    for position, operator in enumerate(step.operators):
        for storage in operator.inputs:
            readers.setdefault(storage, []).append(position)
    lasting = {tensor.id for tensor in step.tensors if tensor.death >= len(step.operators)}
    costs = [FusedCost() for _ in step.operators]
    for members in groups:
        _charge(step.operators, members, readers, lasting, costs)
    return costs


def _charge(
    operators: Sequence[RawOperator],
    members: Sequence[int],
    readers: dict[int, list[int]],
    lasting: set[int],
    costs: list[FusedCost],
) -> None:
    """Rule 5 for one group; an operator on its own keeps the cost it has."""
    if len(members) == 1:
        alone = operators[members[0]]
        costs[members[0]] = FusedCost(sum(alone.input_bytes), sum(alone.output_bytes), alone.kernels)
        return
    inside = set(members)
    on_chip: dict[int, float] = {}
    written: dict[int, tuple[int, int, float]] = {}  # storage: first and last member that writes it, bytes
    for position in members:
        operator = operators[position]
        for storage, size in zip(operator.inputs, operator.input_bytes, strict=True):
            costs[position].read += max(0.0, size - on_chip.get(storage, 0.0))
            on_chip[storage] = max(size, on_chip.get(storage, 0.0))
        for storage, size in zip(operator.outputs, operator.output_bytes, strict=True):
            on_chip[storage] = max(size, on_chip.get(storage, 0.0))
            first, _last, before = written.get(storage, (position, position, 0.0))
            written[storage] = (first, position, max(size, before))
    for storage, (first, last, size) in written.items():
        later = any(position > first and position not in inside for position in readers.get(storage, ()))
        if later or storage in lasting:
            costs[last].written += size
    costs[members[0]].kernels = max(operators[position].kernels for position in members)
