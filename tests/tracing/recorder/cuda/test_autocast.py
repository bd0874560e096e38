import re
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from outboard.tracing.recorder.cuda import autocast  # noqa: E402


def listed(header: str, macro: str) -> set[str]:
    """Names in one of torch's own lists, with their overloads."""
    body = re.search(rf"#define {macro}\(_\)(.*?)\n\n", header, re.S)
    if body is None:
        pytest.skip(f"this torch has no {macro}")
    return {".".join(re.findall(r"\w+", inside)) for inside in re.findall(r"_\(([\w, ]+)\)", body[1])}


@pytest.mark.parametrize(
    ("macro", "ours"),
    [
        ("AT_FORALL_LOWER_PRECISION_FP", autocast.LOWER | {"_scaled_dot_product_flash_attention"}),
        ("AT_FORALL_FP32", autocast.FP32),
        ("AT_FORALL_FP32_SET_OPT_DTYPE", autocast.FP32_RESULT),
        ("AT_FORALL_PROMOTE", autocast.PROMOTE),
    ],
)
def test_the_lists_are_torchs(macro: str, ours: frozenset[str]) -> None:
    header = Path(torch.__file__).parent / "include/ATen/autocast_mode.h"
    if not header.exists() or not torch.__version__.startswith("2.14"):
        pytest.skip("the lists are those of torch 2.14")
    assert listed(header.read_text(), macro) == ours


class Apply(nn.Module):
    def __init__(self, function, *shape: int) -> None:
        super().__init__()
        self.function, self.weight = function, nn.Parameter(torch.empty(*shape))

    def forward(self, x):
        return self.function(x, self.weight)


F = nn.functional
half = torch.float16

# What an operator gives out under CUDA's autocast, for input x of fp16 and a weight w of fp32.
CASES = {
    "linear": (lambda x, w: F.linear(x, w), (8, 8), half),
    "matmul of views": (lambda x, w: x @ w.t(), (8, 8), half),
    "einsum": (lambda x, w: torch.einsum("bi,oi->bo", x, w), (8, 8), half),
    "layer norm": (lambda x, w: F.layer_norm(x, (8,), w), (8,), torch.float32),
    "rms norm": (lambda x, w: F.rms_norm(x, (8,), w), (8,), torch.float32),
    "softmax": (lambda x, w: torch.softmax(x, -1) * w, (8,), torch.float32),
    "exp": (lambda x, w: torch.exp(x) * w, (8,), torch.float32),
    "pow": (lambda x, w: x.pow(2) * w, (8,), torch.float32),
    "sum": (lambda x, w: x.sum(1, keepdim=True) * w, (8,), torch.float32),
    "mean stays": (lambda x, w: x.mean(1, keepdim=True) * w.half(), (8,), half),
    "relu stays": (lambda x, w: F.relu(x) * w.half(), (8,), half),
    "gelu stays": (lambda x, w: F.gelu(x) * w.half(), (8,), half),
    "sum of both types": (lambda x, w: x + w, (8,), torch.float32),
    "grid sample": (lambda x, w: F.grid_sample(x[None, None], w, align_corners=False), (1, 2, 2, 2), torch.float32),
    "mean square": (lambda x, w: F.mse_loss(x * w.half(), x, reduction="none"), (8,), torch.float32),
    "cat promotes": (lambda x, w: torch.cat([x, w]), (4, 8), torch.float32),
}


@pytest.mark.parametrize("name", CASES)
def test_results_have_the_types_they_have_on_cuda(record, name: str) -> None:
    function, shape, wanted = CASES[name]
    seen = []

    class Watched(Apply):
        def forward(self, x):
            out = super().forward(x.half())
            seen.append(out.dtype)
            return out

    record(Watched(function, *shape), (8,), precision="amp-fp16")
    assert seen == [wanted]


def test_weights_are_cast_once_and_live_through_backward(record) -> None:
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 8, bias=False)

        def forward(self, x):
            return self.layer(torch.relu(self.layer(x)))

    step = record(Twice(), (8,), precision="amp-bf16")
    weight = next(t.id for t in step.tensors if t.category == "weights")
    casts = [row for row in step.operators if row.name == "aten._to_copy" and row.inputs == (weight,)]
    assert len(casts) == 1
    cast = next(t for t in step.tensors if t.id == casts[0].outputs[0])
    assert (cast.category, cast.size) == ("activations", 8 * 8 * 2)


def test_softmax_of_fp16_needs_no_copy_and_of_bf16_does(record) -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.Softmax(-1))
    names = [row.name for row in record(model, (8,), precision="amp-fp16").operators if row.phase == "forward"]
    assert names[-2:] == ["aten.addmm", "aten._softmax"]
    names = [row.name for row in record(model, (8,), precision="amp-bf16").operators if row.phase == "forward"]
    assert names[-3:] == ["aten.addmm", "aten._to_copy", "aten._softmax"]


def test_a_region_of_the_models_own_counts(record) -> None:
    class Region(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 8)

        def forward(self, x):
            with torch.autocast("cuda", enabled=False):
                return self.layer(x.float())

    step = record(Region(), (8,), precision="amp-fp16")
    assert next(row.dtype for row in step.operators if row.kind == "matmul") == "fp32"


def test_cpu_autocast_is_as_before_afterwards() -> None:
    with autocast.cuda_lists():
        pass
    with torch.autocast("cpu", torch.bfloat16):
        out = torch.exp(torch.zeros(3, dtype=torch.bfloat16))
        assert out.dtype == torch.bfloat16
        assert torch.cat([out, torch.zeros(3)]).dtype == torch.float32
