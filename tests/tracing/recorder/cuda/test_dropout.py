import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402


def test_dropout_is_one_kernel_that_keeps_a_mask_of_bytes(record) -> None:
    step = record(nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1)), (8,))
    (row,) = [row for row in step.operators if row.kind == "random"]
    assert (row.name, row.output_bytes) == ("aten.native_dropout", (4 * 8 * 4.0, 4 * 8 * 1.0))
    mask = next(t for t in step.tensors if t.id == row.outputs[1])
    assert mask.category == "activations"
    assert any(row.name == "aten.native_dropout_backward" for row in step.operators)


def test_in_place_dropout_multiplies_by_noise(record) -> None:
    step = record(nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1, inplace=True)), (8,))
    names = [row.name for row in step.operators if row.phase == "forward"]
    assert names == ["aten.addmm", "aten.bernoulli_", "aten.div_", "aten.mul_"]


def test_a_share_of_zero_is_nothing(record) -> None:
    step = record(nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.0)), (8,))
    assert [row.name for row in step.operators if row.phase == "forward"] == ["aten.addmm"]
