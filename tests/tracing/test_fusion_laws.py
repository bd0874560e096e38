"""What must hold of any fusion, on random lists of operators."""

from hypothesis import given
from hypothesis import strategies as st

from outboard.tracing.fusion import fused_costs, plan
from outboard.tracing.raw import RawOperator, RawStep, RawTensor

SIZES = {"elementwise": (100.0, 1.0), "copy": (100.0, 1.0), "norm": (10.0, 10.0), "reduction": (10.0, 1.0)}
SIZES |= {"softmax": (100.0, 1.0), "matmul": (10.0, 10.0)}


@st.composite
def steps(draw: st.DrawFn) -> RawStep:
    """A list of operators that each read what is there and write something new, or overwrite something."""
    operators: list[RawOperator] = []
    phases = sorted(draw(st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=12)))
    for position, phase in enumerate(phases):
        kind = draw(st.sampled_from(sorted(SIZES)))
        inputs = draw(st.lists(st.integers(0, position), min_size=1, max_size=3, unique=True))
        output = draw(st.one_of(st.just(position + 1), st.integers(0, position + 1)))
        m, n = SIZES[kind]
        written = 40.0 if kind == "reduction" else 400.0
        operators.append(
            RawOperator(
                kind, kind, phase, "fp32", 1.0, tuple(inputs), (400.0,) * len(inputs), (output,), (written,), m, n
            )
        )
    lasting = [RawTensor(len(phases), "output", 400.0, 0, len(phases))]
    return RawStep(1, operators, lasting, {}, [], [])


@given(steps())
def test_every_operator_is_in_one_group_of_one_phase(step: RawStep) -> None:
    groups = plan(step.operators)
    assert sorted(position for group in groups for position in group) == list(range(len(step.operators)))
    assert all(len({step.operators[position].phase for position in group}) == 1 for group in groups)


@given(steps())
def test_fusion_never_costs_more(step: RawStep) -> None:
    costs = fused_costs(step, plan(step.operators))
    assert sum(cost.read for cost in costs) <= sum(sum(operator.input_bytes) for operator in step.operators)
    assert sum(cost.written for cost in costs) <= sum(sum(operator.output_bytes) for operator in step.operators)
    assert len(plan(step.operators)) <= sum(cost.kernels for cost in costs) <= len(step.operators)


@given(steps())
def test_groups_run_one_after_the_other_with_the_same_result(step: RawStep) -> None:
    """Each read sees the same write, whether operators run in their own order or group after group."""
    order = [position for group in plan(step.operators) for position in group]
    assert _seen(step, order) == _seen(step, range(len(step.operators)))


def _seen(step: RawStep, order: "list[int] | range") -> dict[tuple[int, int], int]:
    last: dict[int, int] = {}
    seen: dict[tuple[int, int], int] = {}
    for position in order:
        operator = step.operators[position]
        for storage in operator.inputs:
            seen[position, storage] = last.get(storage, -1)
        for storage in operator.outputs:
            last[storage] = position
    return seen
