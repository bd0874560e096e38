"""Frozen weights in 4 or 8 bits, dequantised whenever they are used, as bitsandbytes does (QLoRA, arXiv:2305.14314).

Sources: bitsandbytes/autograd/_functions.py (``MatMul4Bit``, ``MatMul8bitLt``), bitsandbytes/functional.py
(``quantize_4bit``: blocks of 64 with one scale each; double quantisation: scales of one byte in blocks of 256).
"""

from math import ceil
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F  # noqa: N812 (everybody's name for it)
from torch import nn

from outboard.tracing.adapt import kernels, layers

if TYPE_CHECKING:
    from outboard.types.job import Job

BLOCK = 64
NESTED_BLOCK = 256
HALVES = {"fp16": torch.float16, "amp-fp16": torch.float16, "bf16": torch.bfloat16, "amp-bf16": torch.bfloat16}


class FourBit(torch.autograd.Function):
    """A product with weights of four bits: dequantised for it, and once more in backward; nothing of it is kept."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, layer: "Quantized") -> torch.Tensor:
        """``x`` times the weights."""
        ctx.layer = layer
        return F.linear(x, layer.weight_in(x.dtype))

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradient of the input; the weights have none."""
        return grads[0] @ ctx.layer.weight_in(grads[0].dtype), None


class EightBit(torch.autograd.Function):
    """A product in int8: the input is rounded for it and kept as it came; backward dequantises the weights."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, layer: "Quantized") -> torch.Tensor:
        """``x`` times the weights, by way of a result in int32."""
        ctx.save_for_backward(x)
        ctx.layer = layer
        whole = kernels.int8_matmul(kernels.to_int8(x.reshape(-1, x.shape[-1])), layer.packed.t())
        return whole.to(x.dtype).view(*x.shape[:-1], -1)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradient of the input."""
        return grads[0] @ ctx.layer.weight_in(grads[0].dtype), None


class Quantized(nn.Module):
    """A frozen linear layer in ``kind``: nf4, nf4-dq or int8."""

    def __init__(self, layer: Any, kind: str, compute: torch.dtype) -> None:
        super().__init__()
        self.sizes = layers.sizes(layer)
        inputs, outputs = self.sizes
        count = inputs * outputs
        self.kind, self.compute, self.bias = kind, compute, layer.bias
        if kind == "int8":
            self.packed = _frozen((outputs, inputs), torch.int8)
            self.scales, self.nested = _frozen((outputs,), torch.float32), None
        else:
            blocks, double = ceil(count / BLOCK), kind == "nf4-dq"
            self.packed = _frozen((ceil(count / 2), 1), torch.uint8)
            self.scales = _frozen((blocks,), torch.uint8 if double else torch.float32)
            self.nested = _frozen((ceil(blocks / NESTED_BLOCK),), torch.float32) if double else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The product in the type of computation, given out in the type of ``x``."""
        function = EightBit if self.kind == "int8" else FourBit
        result = function.apply(x.to(self.compute), self)
        if self.bias is not None:
            result = result + self.bias.to(self.compute)
        return result.to(x.dtype)

    def weight_in(self, dtype: torch.dtype) -> torch.Tensor:
        """The weights in full, in ``dtype``: a temporary."""
        inputs, outputs = self.sizes
        scales = self.scales
        if self.nested is not None:
            scales = kernels.dequantize(scales, self.nested, len(scales), 1, torch.float32)
        return kernels.dequantize(self.packed, scales, outputs, inputs, dtype)


def quantize(model: nn.Module, job: "Job") -> None:
    """Replace every linear layer but the head, as transformers does when it loads a quantised model."""
    compute = HALVES.get(job.precision, torch.float32)
    for name, layer in layers.linear_layers(model).items():
        layers.replace(model, name, Quantized(layer, job.base_weights, compute))


def _frozen(shape: tuple[int, ...], dtype: torch.dtype) -> nn.Parameter:
    parameter = nn.Parameter(torch.empty(shape, dtype=dtype, device="meta"), requires_grad=False)
    parameter.own_type = True  # type: ignore[attr-defined]
    return parameter
