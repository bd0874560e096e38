"""Recordings of one step at three batch sizes become one trace, affine in the batch.

The first two batch sizes give each line, the third checks it. A quantity that is not on its line (the batch x batch
logits of a contrastive loss, say) stays in the trace with the line, and the trace says so in ``not_affine`` and
``not_affine_error``.
"""

from collections.abc import Callable, Sequence

import numpy as np

from outboard.errors import JobError
from outboard.i18n import _
from outboard.tracing import fusion
from outboard.tracing.affine import fit, misses, total
from outboard.tracing.align import check_aligned
from outboard.tracing.parameters import parameter_table
from outboard.tracing.peak import live_bytes
from outboard.tracing.raw import RawOperator, RawStep
from outboard.tracing.tables import AFFINE_COLUMNS, group, table_of
from outboard.types.trace import (
    CATEGORIES,
    DTYPES,
    KINDS,
    PHASES,
    FloatArray,
    OperatorTable,
    TensorTable,
    Trace,
    TraceInfo,
)

_COLUMN: dict[str, Callable[[RawOperator], float]] = {
    "flops": lambda operator: operator.flops,
    "read": lambda operator: sum(operator.input_bytes),
    "written": lambda operator: sum(operator.output_bytes),
    "m": lambda operator: operator.m,
    "n": lambda operator: operator.n,
    "k": lambda operator: operator.k,
    "g": lambda operator: operator.g,
}


def merge_steps(steps: Sequence[RawStep], info: TraceInfo) -> Trace:
    """One trace of ``steps``, which were recorded at two batch sizes or more, the last of which only checks.

    Raises :class:`~outboard.errors.JobError` if the steps do not run the same operators on the same tensors.
    """
    if len({step.batch for step in steps}) < 2:
        raise JobError(_("a trace needs recordings at two different batch sizes or more"))
    check_aligned(steps)
    batches = np.array([step.batch for step in steps], float)
    values = _values(steps)
    operators = _ungrouped(steps[0], values, batches)
    tensors, tensor_sizes = _tensors(steps, batches)
    suspects, error = _not_affine(operators, values, tensors, tensor_sizes, batches)
    return Trace(
        info=info,
        operators=group(operators),
        tensors=tensors,
        parameters=parameter_table(steps[0].parameters),
        input_bytes=fit(_rows(steps, lambda step: [size for _elements, size in step.inputs]), batches),
        input_elements=fit(_rows(steps, lambda step: [elements for elements, _size in step.inputs]), batches),
        not_affine=suspects,
        not_affine_error=error,
    )


def _rows(steps: Sequence[RawStep], column: Callable[[RawStep], Sequence[float]]) -> FloatArray:
    """One column of each step side by side, shape (rows, len(steps))."""
    return np.array([column(step) for step in steps], float).T.reshape(-1, len(steps))


def _values(steps: Sequence[RawStep]) -> dict[str, FloatArray]:
    """Every affine column at every batch size. Fusion is planned once, where equal sizes by coincidence are least
    likely.
    """
    groups = fusion.plan(steps[-1].operators)
    fused = {id(step): fusion.fused_costs(step, groups) for step in steps}
    values = {
        name: _rows(steps, lambda step, of=of: [of(operator) for operator in step.operators])
        for name, of in _COLUMN.items()
    }
    values["fused_read"] = _rows(steps, lambda step: [cost.read for cost in fused[id(step)]])
    values["fused_written"] = _rows(steps, lambda step: [cost.written for cost in fused[id(step)]])
    values["fused_kernels"] = _rows(steps, lambda step: [cost.kernels for cost in fused[id(step)]])
    return values


def _ungrouped(step: RawStep, values: dict[str, FloatArray], batches: FloatArray) -> OperatorTable:
    """One row per executed operator, ``count`` 1."""
    operators = step.operators
    return table_of(
        tuple(operator.name for operator in operators),
        {
            "kind": [KINDS.index(operator.kind) for operator in operators],
            "phase": [PHASES.index(operator.phase) for operator in operators],
            "dtype": [DTYPES.index(operator.dtype) for operator in operators],
            "count": np.ones(len(operators)),
            "taps": [operator.taps for operator in operators],
            "stride": [operator.stride for operator in operators],
            "kernels": [operator.kernels for operator in operators],
            "fused_kernels": values["fused_kernels"][:, 0],
        },
        {name: fit(values[name], batches) for name in AFFINE_COLUMNS},
    )


def _tensors(steps: Sequence[RawStep], batches: FloatArray) -> tuple[TensorTable, FloatArray]:
    """The tensor table, and the size of each tensor at each batch size."""
    first = steps[0]
    sizes = _rows(steps, lambda step: [tensor.size for tensor in step.tensors])
    starts = [first.phase_start.get(phase, len(first.operators)) for phase in PHASES]
    table = TensorTable(
        birth=np.array([tensor.birth for tensor in first.tensors], np.int64),
        death=np.array([tensor.death for tensor in first.tensors], np.int64),
        category=np.array([CATEGORIES.index(tensor.category) for tensor in first.tensors], np.int64),
        size=fit(sizes, batches),
        steps=len(first.operators),
        phase_start=(starts[0], starts[1], starts[2], starts[3]),
    )
    return table, sizes


def _not_affine(
    operators: OperatorTable,
    values: dict[str, FloatArray],
    tensors: TensorTable,
    tensor_sizes: FloatArray,
    batches: FloatArray,
) -> tuple[tuple[str, ...], float]:
    """Names of operators off their lines, worst first, and the largest relative error of the totals."""
    worst: dict[str, float] = {}
    for column in ("flops", "read", "written"):
        whole = max(float(values[column][:, -1].sum()), 1.0)
        for row, miss in enumerate(misses(getattr(operators, column), values[column], batches)):
            if miss:
                worst[operators.name[row]] = worst.get(operators.name[row], 0.0) + float(miss) / whole
    names = tuple(sorted(worst, key=lambda name: (-worst[name], name)))
    return names, _error_of_totals(operators, values, tensors, tensor_sizes, batches)


def _error_of_totals(
    operators: OperatorTable,
    values: dict[str, FloatArray],
    tensors: TensorTable,
    tensor_sizes: FloatArray,
    batches: FloatArray,
) -> float:
    """Largest relative error of FLOPs, bytes and peak memory at the last batch size."""
    pairs = [
        (float(values["flops"][:, -1].sum()), total(operators.flops, operators.count, batches[-1])),
        (
            float((values["read"] + values["written"])[:, -1].sum()),
            total(operators.read, operators.count, batches[-1])
            + total(operators.written, operators.count, batches[-1]),
        ),
        (
            float(live_bytes(tensors, tensor_sizes[:, -1]).max(initial=0.0)),
            float(live_bytes(tensors, tensors.size.constant + tensors.size.per_batch * batches[-1]).max(initial=0.0)),
        ),
    ]
    error = max(abs(fitted - real) / max(real, 1.0) for real, fitted in pairs)
    return error if error > 1e-9 else 0.0
