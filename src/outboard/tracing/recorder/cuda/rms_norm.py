"""``rms_norm``, which on CUDA is one kernel each way and on the CPU a chain of elementwise operators."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import patch

import torch
import torch.nn.functional as F  # noqa: N812 (everybody's name for it)


class _Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, shape: list[int], weight: torch.Tensor | None, eps: float | None) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            y, scale = torch.ops.aten._fused_rms_norm(x, shape, weight, eps)
        ctx.save_for_backward(x, scale, weight)
        ctx.shape = shape
        return y

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        x, scale, weight = ctx.saved_tensors
        mask = [ctx.needs_input_grad[0], weight is not None and ctx.needs_input_grad[2]]
        with torch._C._AutoDispatchBelowAutograd():
            dx, dw = torch.ops.aten._fused_rms_norm_backward(grads[0], x, ctx.shape, scale, weight, mask)
        return dx, None, dw, None


def _rms_norm(
    input: torch.Tensor, normalized_shape: Sequence[int], weight: torch.Tensor | None = None, eps: float | None = None
) -> torch.Tensor:
    if torch.is_autocast_enabled("cpu"):
        # On autocast's list of operators that run in fp32.
        input, weight = input.float(), None if weight is None else weight.float()
    return _Fused.apply(input, list(normalized_shape), weight, eps)


@contextlib.contextmanager
def fused() -> Iterator[None]:
    """One operator, where this torch has it."""
    if not hasattr(torch.ops.aten, "_fused_rms_norm"):
        yield
        return
    with patch.object(F, "rms_norm", _rms_norm), patch.object(torch, "rms_norm", _rms_norm):
        yield
