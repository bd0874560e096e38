import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402, N812
from torch import nn  # noqa: E402

HEADS, LENGTH, SIZE = 2, 32, 16


class Attend(nn.Module):
    def __init__(self, mask: torch.Tensor | None = None, **options) -> None:
        super().__init__()
        self.layer, self.options = nn.Linear(HEADS * SIZE, 3 * HEADS * SIZE), options
        if isinstance(mask, nn.Parameter):
            self.mask = mask
        else:
            self.register_buffer("mask", mask)

    def forward(self, x):
        q, k, v = self.layer(x).unflatten(-1, (3, HEADS, SIZE)).permute(2, 0, 3, 1, 4)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask, **self.options)


def attention(step) -> list:
    return [row for row in step.operators if row.kind.startswith("attention")]


@pytest.mark.parametrize("precision", ["fp32", "amp-bf16"])
@pytest.mark.parametrize("options", [{}, {"dropout_p": 0.1}, {"is_causal": True}])
def test_one_operator_each_way(record, precision: str, options: dict) -> None:
    forward, backward = attention(record(Attend(**options), (LENGTH, HEADS * SIZE), precision=precision))
    assert (forward.m, forward.n, forward.k, forward.g) == (LENGTH, LENGTH, SIZE, 4 * HEADS)
    assert forward.flops == 4 * 4 * HEADS * LENGTH**2 * SIZE / (2 if options.get("is_causal") else 1)
    assert backward.flops == 2.5 * forward.flops
    assert ("flash" if precision == "amp-bf16" else "efficient") in forward.name


def test_scores_take_no_memory(record) -> None:
    length = 512
    step = record(Attend(dropout_p=0.1), (length, HEADS * SIZE), precision="amp-bf16")
    assert max(t.size for t in step.tensors if t.birth >= 0) < 4 * HEADS * length**2 * 2


@pytest.mark.parametrize(
    "mask",
    [
        torch.zeros(LENGTH, LENGTH, dtype=torch.bool),
        torch.zeros(LENGTH, LENGTH),
        nn.Parameter(torch.zeros(LENGTH, LENGTH)),
    ],
    ids=["boolean", "float", "learned"],
)
def test_masks_keep_it_one_operator(record, mask) -> None:
    step = record(Attend(mask), (LENGTH, HEADS * SIZE), precision="amp-bf16")
    forward, _backward = attention(step)
    assert "efficient" in forward.name
    gradients = sorted(t.size for t in step.tensors if t.category == "gradients")
    assert (LENGTH * LENGTH * 4 in gradients) == isinstance(mask, nn.Parameter)


@pytest.mark.parametrize(("attention_option", "precision"), [("eager", "fp32"), ("sdpa", "fp64")])
def test_the_mathematics_is_two_products_and_a_softmax(record, attention_option: str, precision: str) -> None:
    step = record(
        Attend(is_causal=True, dropout_p=0.1),
        (LENGTH, HEADS * SIZE),
        attention=attention_option,
        precision=precision,
    )
    assert not attention(step)
    products = [row for row in step.operators if row.name == "aten.bmm" and row.phase == "forward"]
    assert [(row.m, row.n, row.k, row.g) for row in products] == [
        (LENGTH, LENGTH, SIZE, 4 * HEADS),
        (LENGTH, SIZE, LENGTH, 4 * HEADS),
    ]
    assert any(row.kind == "softmax" for row in step.operators)


def test_grouped_heads_are_not_written_out_for_flash(record) -> None:
    class Grouped(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.query, self.rest = nn.Linear(32, 64), nn.Linear(32, 32)

        def forward(self, x):
            q = self.query(x).unflatten(-1, (4, 16)).transpose(1, 2)
            k, v = self.rest(x).unflatten(-1, (2, 1, 16)).permute(2, 0, 3, 1, 4)
            return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)

    forward, _backward = attention(record(Grouped(), (LENGTH, 32), precision="bf16"))
    assert forward.g == 4 * 4
    assert forward.input_bytes[1] * 4 == forward.input_bytes[0]
