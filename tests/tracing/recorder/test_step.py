import pytest

torch = pytest.importorskip("torch")

from collections import Counter  # noqa: E402

from torch import nn  # noqa: E402


def kinds(step) -> Counter:
    return Counter(row.kind for row in step.operators)


def rows(step, kind: str) -> list:
    return [row for row in step.operators if row.kind == kind]


def test_a_linear_layer_is_three_products(record) -> None:
    step = record(nn.Linear(16, 32), (16,))
    forward, *backward = rows(step, "matmul")
    assert (forward.m, forward.n, forward.k, forward.g, forward.flops) == (4, 32, 16, 1, 2 * 4 * 32 * 16)
    # The input needs no gradient, so that only the weight's is left.
    assert [(row.name, row.flops) for row in backward] == [("aten.mm", forward.flops)]


def test_a_convolution_is_split_into_its_products(record) -> None:
    model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 16, 3, stride=2, groups=2))
    step = record(model, (3, 10, 10))
    first, second = rows(step, "conv")
    assert (second.m, second.n, second.k, second.g, second.taps, second.stride) == (4 * 4 * 4, 8, 4 * 9, 2, 9, 2)
    assert second.flops == 2 * 64 * 8 * 36 * 2
    (dgrad,) = rows(step, "conv_dgrad")
    assert dgrad.flops == second.flops
    assert [row.flops for row in rows(step, "conv_wgrad")] == [second.flops, first.flops]
    biases = [row for row in step.operators if row.name.endswith(".bias")]
    assert [row.kind for row in biases] == ["elementwise", "elementwise", "reduction", "reduction"]


def test_depthwise_and_transposed_convolutions(record) -> None:
    step = record(nn.Sequential(nn.Conv2d(8, 8, 3, groups=8), nn.ConvTranspose2d(8, 4, 2, stride=2)), (8, 6, 6))
    (depthwise,) = rows(step, "depthwise")
    assert (depthwise.n, depthwise.k, depthwise.g) == (1, 9, 8)
    # Forward of a transposed convolution is the input gradient of a plain one, and the other way round.
    (transposed,) = rows(step, "conv_dgrad")
    assert (transposed.phase, transposed.flops) == ("forward", 2 * 4 * 16 * 8 * 4 * 4)
    assert [row.phase for row in rows(step, "conv")] == ["backward"]


def test_phases_follow_each_other(record) -> None:
    step = record(nn.Linear(4, 4), (4,))
    starts = list(step.phase_start.values())
    assert starts == sorted(starts)
    assert [row.phase for row in step.operators] == ["forward", "loss", "backward", "backward", "backward"]
    assert step.phase_start["optimizer"] == len(step.operators)


def test_inference_has_no_backward_and_no_dropout(record) -> None:
    step = record(nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)), (4,), task="infer")
    assert [row.name for row in step.operators] == ["aten.addmm"]
    assert [t.category for t in step.tensors if t.birth >= 0] == ["output"]


def test_expanded_dimensions_are_read_once(record) -> None:
    class Expand(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bias = nn.Parameter(torch.zeros(1, 100))

        def forward(self, x):
            return x * self.bias.expand(4, 100)

    row = record(Expand(), (100,)).operators[0]
    assert row.input_bytes == (1600.0, 400.0)
    assert row.output_bytes == (1600.0,)


def test_an_embedding_reads_only_its_rows(record) -> None:
    class Look(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(1000, 8)

        def forward(self, x):
            return self.table(x.long())

    step = record(Look(), (5,))
    (row,) = rows(step, "gather")
    assert row.input_bytes[0] == row.output_bytes[0] == 4 * 5 * 8 * 4
    (backward,) = rows(step, "scatter")
    assert backward.output_bytes == (1000 * 8 * 4,)


def test_in_place_operators_touch_their_own_storage(record) -> None:
    step = record(nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True)), (4,), task="infer")
    product, relu = step.operators
    assert relu.inputs == relu.outputs == product.outputs


@pytest.mark.parametrize(
    ("precision", "tag"), [("fp32", "fp32"), ("tf32", "tf32"), ("fp16", "fp16"), ("bf16", "bf16"), ("fp64", "fp64")]
)
def test_precision_is_the_operands_type(record, precision: str, tag: str) -> None:
    step = record(nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()), (3, 8, 8), precision=precision)
    assert rows(step, "conv")[0].dtype == tag
    relu = next(row for row in step.operators if row.name == "aten.relu")
    assert relu.dtype == ("fp32" if precision == "tf32" else tag)


def test_a_model_is_called_channels_last(record) -> None:
    plain = record(nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Conv2d(4, 4, 3)), (3, 8, 8))
    last = record(
        nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Conv2d(4, 4, 3)), (3, 8, 8), memory_format="nhwc"
    )
    # No copies: gradients keep the layout of their weights.
    assert [row.name for row in plain.operators] == [row.name for row in last.operators]


def test_a_loss_without_parameters_is_an_error(record) -> None:
    from outboard.errors import JobError

    with pytest.raises(JobError, match="does not depend on any parameter"):
        record(nn.ReLU(), (4,))


def test_the_models_own_words_reach_the_person(record) -> None:
    from outboard.errors import JobError

    with pytest.raises(JobError, match="test:model refuses this job"):
        record(nn.Linear(5, 4), (4,))


def test_values_that_decide_are_assumed_and_said(record) -> None:
    class Decides(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x):
            x = self.layer(x)
            if x.max() > 3:
                x = x * 2
            return x[x > 0].sum() + x.sum()

    step = record(Decides(), (4,))
    assert "numbers read are zero" in step.warnings[0]
    assert next(row for row in step.operators if row.name == "aten.index").output_bytes == (8 * 4,)


def test_tables_computed_at_the_first_call_are_not_part_of_the_step() -> None:
    from outboard.tracing.recorder import record_built
    from outboard.tracing.sources.base import Batch, Built
    from outboard.types.job import Job

    class Lazy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.table = nn.Linear(4, 4), None

        def forward(self, x):
            if self.table is None:
                self.table = torch.arange(4).float()
            return self.layer(x) + self.table

    built = Built(Lazy(), lambda n: Batch((torch.empty(n, 4),)), lambda out, _: out.sum(), "samples")
    first, second = record_built(built, Job(workload="test:lazy"), [2, 3])
    assert [row.name for row in first.operators] == [row.name for row in second.operators]
    assert [t.category for t in first.tensors] == [t.category for t in second.tensors]
