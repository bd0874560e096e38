"""Convolutions, which torch executes as several kernels: the product itself, the bias, and two or three gradients."""

from math import prod
from typing import Any, NamedTuple

import torch

from outboard.tracing.recorder.costs import Cost


class Part(NamedTuple):
    """One kernel of a convolution: its name, kind and cost, the tensors it reads and those it writes."""

    name: str
    kind: str
    cost: Cost
    inputs: list[torch.Tensor]
    outputs: list[torch.Tensor]


# What is computed when the convolution is transposed: each product takes the place of another one.
_TRANSPOSED = {"conv": "conv_dgrad", "conv_dgrad": "conv", "conv_wgrad": "conv_wgrad"}


def forward(name: str, args: Any, out: torch.Tensor) -> list[Part]:
    """The product, then the bias where cuDNN does not add it itself."""
    image, weight, bias, stride, _, _, transposed, _, groups = args[:9]
    kind, cost = _product("conv", image, out, weight, stride, transposed, groups)
    parts = [Part(name, kind, cost, [image, weight], [out])]
    if bias is not None and kind.startswith("conv"):
        elements = float(prod(out.shape))
        parts.append(Part(f"{name}.bias", "elementwise", Cost(elements, elements), [out, bias], [out]))
    elif bias is not None:
        parts[0].inputs.append(bias)
    return parts


def backward(name: str, args: Any, out: Any) -> list[Part]:
    """Gradients of input, weight and bias, in this order, as far as they are wanted."""
    grad, image, weight, _, stride, _, _, transposed, _, groups = args[:10]
    parts: list[Part] = []
    if out[0] is not None:
        kind, cost = _product("conv_dgrad", image, grad, weight, stride, transposed, groups)
        parts.append(Part(f"{name}.input", kind, cost, [grad, weight], [out[0]]))
    if out[1] is not None:
        kind, cost = _product("conv_wgrad", image, grad, weight, stride, transposed, groups)
        parts.append(Part(f"{name}.weight", kind, cost, [grad, image], [out[1]]))
    if out[2] is not None:
        cost = Cost(float(prod(grad.shape)), float(prod(out[2].shape)))
        parts.append(Part(f"{name}.bias", "reduction", cost, [grad], [out[2]]))
    return parts


def _product(
    kind: str, image: Any, result: Any, weight: Any, stride: Any, transposed: bool, groups: int
) -> tuple[str, Cost]:
    """Kind and cost of the implicit matrix product; all three products of a convolution have the same size."""
    small = image if transposed else result
    taps = prod(weight.shape[2:])
    m = small.shape[0] * prod(small.shape[2:])
    n = weight.shape[0] // groups
    k = weight.shape[1] * taps
    cost = Cost(2.0 * m * n * k * groups, m, n, k, groups, taps, max(stride, default=1))
    if transposed:
        kind = _TRANSPOSED[kind]
    if groups > 1 and weight.shape[1] == 1 and groups == (result if transposed else image).shape[1]:
        kind = kind.replace("conv", "depthwise")
    return kind, cost
