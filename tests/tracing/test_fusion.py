"""Which operators become one kernel, on short hand-made lists. Storage 0 and up; bytes are 4 per element."""

from collections.abc import Callable

import pytest

from outboard.tracing.fusion import fused_costs, plan
from outboard.tracing.raw import RawOperator, RawStep, RawTensor

Maker = Callable[..., RawOperator]
N = 100
B = 400.0


def costs(operators: list[RawOperator], lasting: tuple[int, ...] = ()) -> list[tuple[float, float, float]]:
    tensors = [RawTensor(storage, "activations", B, 0, len(operators)) for storage in lasting]
    step = RawStep(1, operators, tensors, {"forward": 0}, [], [])
    return [(cost.read, cost.written, cost.kernels) for cost in fused_costs(step, plan(operators))]


def pointwise(operator: Maker, source: int, target: int, **columns: object) -> RawOperator:
    return operator("mul", "elementwise", [(source, B)], [(target, B)], m=N, **columns)


def test_a_chain_reads_once_and_writes_once(operator: Maker) -> None:
    chain = [pointwise(operator, i, i + 1) for i in range(3)]
    assert costs(chain, lasting=(3,)) == [(B, 0, 1), (0, 0, 0), (0, B, 0)]


def test_what_is_needed_later_is_still_written(operator: Maker) -> None:
    saved = pointwise(operator, 1, 9, phase="backward")
    assert costs([pointwise(operator, 0, 1), pointwise(operator, 1, 2), saved], lasting=(2, 9)) == [
        (B, B, 1),
        (0, B, 0),
        (B, B, 1),
    ]


def test_a_product_is_a_boundary_and_closes_what_it_reads(operator: Maker) -> None:
    product = operator("mm", "matmul", [(1, B)], [(2, B)], m=10, n=10, k=10)
    late = operator("add", "elementwise", [(1, B), (2, B)], [(3, B)], m=N)
    assert plan([pointwise(operator, 0, 1), product, late]) == [[0], [1], [2]]


def test_pointwise_before_and_after_a_norm_is_one_kernel(operator: Maker) -> None:
    norm = operator("layer_norm", "norm", [(1, B), (7, 40)], [(2, B)], m=10, n=10, kernels=2)
    operators = [pointwise(operator, 0, 1), norm, pointwise(operator, 2, 3)]
    assert costs(operators, lasting=(3,)) == [(B, 0, 2), (40, 0, 0), (0, B, 0)]


def test_two_norms_are_two_kernels(operator: Maker) -> None:
    norms = [operator("layer_norm", "norm", [(i, B)], [(i + 1, B)], m=10, n=10) for i in range(2)]
    assert plan(norms) == [[0], [1]]


def test_a_decomposed_rms_norm_is_one_kernel(operator: Maker) -> None:
    """to(fp32), pow, mean, + eps, rsqrt, *, to(bf16): everything but the input and the result stays on chip."""
    operators = [
        operator("to", "copy", [(0, B / 2)], [(1, B)], m=N, dtype="bf16"),
        operator("pow", "elementwise", [(1, B)], [(2, B)], m=N),
        operator("mean", "reduction", [(2, B)], [(3, 40)], m=10),
        operator("rsqrt", "elementwise", [(3, 40)], [(4, 40)], m=10),
        operator("mul", "elementwise", [(1, B), (4, 40)], [(5, B)], m=N),
        operator("to", "copy", [(5, B)], [(6, B / 2)], m=N),
    ]
    result = costs(operators, lasting=(6,))
    assert plan(operators) == [[0, 1, 2, 3, 4, 5]]
    assert [sum(column) for column in zip(*result, strict=True)] == [B / 2, B / 2, 1]


def test_branches_that_meet_become_one(operator: Maker) -> None:
    meet = operator("add", "elementwise", [(1, B), (3, B)], [(4, B)], m=N)
    assert costs([pointwise(operator, 0, 1), pointwise(operator, 2, 3), meet], lasting=(4,)) == [
        (B, 0, 1),
        (B, 0, 0),
        (0, B, 0),
    ]


def test_other_sizes_and_other_phases_do_not_fuse(operator: Maker) -> None:
    broadcast = operator("expand", "copy", [(1, B)], [(2, 10 * B)], m=10 * N)
    assert plan([pointwise(operator, 0, 1), broadcast]) == [[0], [1]]
    assert plan([pointwise(operator, 0, 1), pointwise(operator, 1, 2, phase="loss")]) == [[0], [1]]


def test_overwriting_what_a_group_read_closes_it(operator: Maker) -> None:
    overwrite = operator("mm_out", "matmul", [(5, B)], [(0, B)], m=10, n=10, k=10)
    assert plan([pointwise(operator, 0, 1), overwrite, pointwise(operator, 1, 2)]) == [[0], [1], [2]]


def test_in_place_operators_write_once(operator: Maker) -> None:
    operators = [pointwise(operator, 0, 1), pointwise(operator, 1, 1), pointwise(operator, 1, 1)]
    assert costs(operators, lasting=(1,)) == [(B, 0, 1), (0, 0, 0), (0, B, 0)]


@pytest.mark.parametrize("kind", ["matmul", "conv", "attention", "pool_backward", "gather", "sort"])
def test_an_operator_alone_keeps_its_cost(operator: Maker, kind: str) -> None:
    alone = operator("x", kind, [(0, B), (0, B)], [(1, B)], m=N, kernels=3)
    assert costs([alone]) == [(2 * B, B, 3)]
