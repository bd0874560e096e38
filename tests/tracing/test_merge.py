"""Recordings at three batch sizes become one trace: exact where the step is affine, honest where it is not."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outboard.errors import JobError
from outboard.tracing.merge import merge_steps
from outboard.tracing.raw import RawOperator, RawStep, RawTensor
from outboard.types.trace import TraceInfo

Maker = Callable[..., RawOperator]
StepMaker = Callable[[int], RawStep]
InfoMaker = Callable[..., TraceInfo]

INFO = TraceInfo("w", "infer", "fp32", "", None, None, "nchw", "sdpa", False, "samples", None, (2, 4, 7))
numbers = st.integers(0, 10**12)
lines = st.lists(st.tuples(numbers, numbers, numbers, numbers), min_size=1, max_size=8)


def affine_step(batch: int, rows: list[tuple[int, int, int, int]]) -> RawStep:
    operators = [
        RawOperator("op", "matmul", "forward", "fp32", a + b * batch, (0,), (float(c + d * batch),), (1,), (4.0,))
        for a, b, c, d in rows
    ]
    tensors = [RawTensor(i, "temporaries", float(a + c * batch), i, i + 1) for i, (a, _b, c, _d) in enumerate(rows)]
    return RawStep(batch, operators, tensors, {"forward": 0}, [], [(1.0, 4.0)])


@given(lines, st.integers(1, 1000))
def test_an_affine_step_is_exact_at_any_batch(rows: list[tuple[int, int, int, int]], batch: int) -> None:
    trace = merge_steps([affine_step(b, rows) for b in (2, 4, 7)], INFO)
    table = trace.operators
    real = affine_step(batch, rows)
    assert trace.not_affine == () and trace.not_affine_error == 0
    assert table.count @ (table.flops.constant + table.flops.per_batch * batch) == sum(o.flops for o in real.operators)
    assert table.count @ table.read.at(np.array([float(batch)]))[:, 0] == sum(o.input_bytes[0] for o in real.operators)
    sizes = trace.tensors.size.at(np.array([float(batch)]))[:, 0]
    assert sizes.tolist() == [tensor.size for tensor in real.tensors]


def test_identical_layers_are_one_row(step: StepMaker, info: InfoMaker) -> None:
    trace = merge_steps([step(batch) for batch in (2, 4, 7)], info())
    assert trace.operators.count.tolist() == [3, 3, 3, 3]
    assert trace.operators.name == ("mm", "relu", "relu_backward", "mm")
    assert len(trace.tensors) == len(step(2).tensors)
    assert trace.tensors.phase_start == (0, 6, 6, 12)
    assert trace.parameter_count() == 3 * 64


def test_what_is_not_affine_is_named_worst_first(step: StepMaker, info: InfoMaker, operator: Maker) -> None:
    def with_logits(batch: int) -> RawStep:
        raw = step(batch)
        raw.operators.append(operator("small", "matmul", outputs=[(99, 4.0)], flops=float(batch**2)))
        raw.operators.append(operator("logits", "matmul", outputs=[(99, 4.0)], flops=1000.0 * batch**2))
        return raw

    trace = merge_steps([with_logits(batch) for batch in (2, 4, 7)], info())
    assert trace.not_affine == ("logits", "small")
    assert 0.1 < trace.not_affine_error < 1


def test_another_sequence_is_refused_with_its_place(step: StepMaker, info: InfoMaker) -> None:
    odd = step(4)
    odd.operators[1] = replace(odd.operators[1], name="gelu")
    with pytest.raises(JobError, match=r"batch 2 and batch 4.*operator 1 is relu \(forward\) and gelu"):
        merge_steps([step(2), odd, step(7)], info())
    with pytest.raises(JobError, match="12 and 11 operators"):
        shorter = step(4)
        shorter.operators.pop()
        merge_steps([step(2), shorter], info())


def test_other_lifetimes_are_refused(step: StepMaker, info: InfoMaker) -> None:
    odd = step(4)
    odd.tensors[5].death += 1
    with pytest.raises(JobError, match=r"tensor 5 is activations 1\.\.12 and activations 1\.\.13"):
        merge_steps([step(2), odd], info())


def test_one_batch_is_not_enough(step: StepMaker, info: InfoMaker) -> None:
    with pytest.raises(JobError, match="two different batch sizes"):
        merge_steps([step(2), step(2)], info())


def test_parameters_keep_their_planes(step: StepMaker, info: InfoMaker) -> None:
    def convolutional(batch: int) -> RawStep:
        return replace(step(batch), parameters=[((64, 3, 7, 5), 4, True), ((64,), 4, True), ((64,), 4, False)])

    table = merge_steps([convolutional(2), convolutional(4)], info()).parameters
    assert list(zip(table.rows, table.columns, table.planes, table.count, strict=True)) == [  # type: ignore[attr-defined]
        (64 * 3 * 7, 5, 192, 1),
        (64, 1, 0, 1),
        (64, 1, 0, 1),
    ]
    assert table.trainable.tolist() == [True, True, False]
