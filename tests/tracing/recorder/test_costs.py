import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from outboard.tracing.recorder.costs import cost_of  # noqa: E402


def test_products_of_every_form() -> None:
    matrix, other, vector = torch.empty(3, 5), torch.empty(5, 7), torch.empty(5)
    assert cost_of("matmul", "mm", (matrix, other), [], []).flops == 2 * 3 * 5 * 7
    assert cost_of("matmul", "addmm", (vector, matrix, other), [], []).flops == 2 * 3 * 5 * 7
    assert cost_of("matmul", "mv", (matrix, vector), [], []).flops == 2 * 3 * 5
    assert cost_of("matmul", "dot", (vector, vector), [], []).flops == 2 * 5
    batched = cost_of("matmul", "bmm", (torch.empty(4, 3, 5), torch.empty(4, 5, 7)), [], [])
    assert (batched.m, batched.n, batched.k, batched.g, batched.flops) == (3, 7, 5, 4, 8 * 3 * 5 * 7)


@pytest.mark.parametrize(("layer", "shape", "rows", "columns"), [
    (nn.LayerNorm(6), (5, 6), 4 * 5, 6),
    (nn.GroupNorm(2, 6), (6, 3, 3), 4 * 2, 3 * 9),
    (nn.BatchNorm2d(6), (6, 3, 3), 6, 4 * 9),
    (nn.RMSNorm(6), (5, 6), 4 * 5, 6),
])  # fmt: skip
def test_rows_of_a_norm(record, layer, shape, rows: int, columns: int) -> None:
    step = record(nn.Sequential(layer, nn.Flatten()), shape)
    for kind in ("norm", "norm_backward"):
        row = next(row for row in step.operators if row.kind == kind)
        assert (row.m, row.n) == (rows, columns), kind


def test_a_recurrent_layer_is_one_call(record) -> None:
    class Last(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.LSTM(16, 32, num_layers=2, batch_first=True)

        def forward(self, x):
            return self.layer(x)[0]

    step = record(Last(), (10, 16))
    forward, backward = [row for row in step.operators if "_cudnn_rnn" in row.name]
    assert forward.flops == 2 * 4 * 10 * (128 * 16 + 3 * 128 * 32)
    assert backward.flops == 2 * forward.flops
    assert (forward.kernels, forward.kind) == (20, "matmul")


def test_a_reduction_works_on_what_it_reads(record) -> None:
    step = record(nn.Linear(8, 8), (8,))
    total = next(row for row in step.operators if row.phase == "loss")
    assert (total.kind, total.m, total.flops) == ("reduction", 1, 32)
