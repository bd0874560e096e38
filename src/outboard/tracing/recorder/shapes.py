"""Results of operators whose shape function in torch is slow, or wrong about CUDA's memory layouts.

Each is called with meta tensors and returns meta tensors.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch._prims_common import suggest_memory_format

aten = torch.ops.aten


def _like(x: torch.Tensor, dtype: torch.dtype | None = None, layout: torch.memory_format | None = None) -> torch.Tensor:
    """``torch.empty_like``, which for meta tensors is written in Python and slow."""
    dtype = dtype or x.dtype
    if layout is not None:
        return torch.empty(x.shape, dtype=dtype, device="meta", memory_format=layout)
    if x.is_contiguous():
        return torch.empty(x.shape, dtype=dtype, device="meta")
    strides, step = [0] * x.dim(), 1
    for _stride, dimension in sorted(zip(x.stride(), range(-x.dim(), 0), strict=True), key=lambda s: (s[0], -s[1])):
        strides[dimension] = step
        step *= x.shape[dimension]
    return torch.empty_strided(x.shape, strides, dtype=dtype, device="meta")


def _layout(image: torch.Tensor, weight: torch.Tensor) -> torch.memory_format:
    """What cuDNN makes of its operands: channels last if either of them looks like it."""
    for tensor in (image, weight):
        if not tensor.is_contiguous():
            looks_like = suggest_memory_format(tensor)
            if looks_like is not torch.contiguous_format:
                return looks_like
    return torch.contiguous_format


def _convolution(
    image: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
    output_padding: list[int],
    groups: int,
) -> torch.Tensor:
    sizes = image.shape[2:]
    spread = [d * (k - 1) for d, k in zip(_each(dilation, sizes), weight.shape[2:], strict=True)]
    stride, padding = _each(stride, sizes), _each(padding, sizes)
    if transposed:
        channels = weight.shape[1] * groups
        extra = _each(output_padding, sizes)
        out = [(n - 1) * stride[i] - 2 * padding[i] + spread[i] + extra[i] + 1 for i, n in enumerate(sizes)]
    else:
        channels = weight.shape[0]
        out = [(n + 2 * padding[i] - spread[i] - 1) // stride[i] + 1 for i, n in enumerate(sizes)]
    wanted = weight.shape[0] if transposed else weight.shape[1] * groups
    if image.shape[1] != wanted:
        raise RuntimeError(f"expected input to have {wanted} channels, but got {image.shape[1]} channels instead")
    if min(out) < 1:
        raise RuntimeError(f"the kernel {tuple(weight.shape[2:])} is larger than its padded input {tuple(sizes)}")
    if image.dtype != weight.dtype:
        raise RuntimeError(f"input type {image.dtype} and weight type {weight.dtype} should be the same")
    return image.new_empty((image.shape[0], channels, *out)).contiguous(memory_format=_layout(image, weight))


def _each(values: list[int], sizes: Any) -> list[int]:
    return list(values) * len(sizes) if len(values) == 1 else list(values)


def _convolution_backward(
    grad: torch.Tensor,
    image: torch.Tensor,
    weight: torch.Tensor,
    bias_sizes: list[int] | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: Any,
    output_padding: Any,
    groups: Any,
    output_mask: list[bool],
) -> tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]:
    layout = _layout(image, weight)
    return (
        _like(image, layout=layout) if output_mask[0] else None,
        _like(weight, layout=layout) if output_mask[1] else None,
        grad.new_empty((grad.shape[1],)) if output_mask[2] else None,
    )


def _statistics(image: torch.Tensor) -> torch.dtype:
    return torch.float64 if image.dtype == torch.float64 else torch.float32


def _batch_norm(
    image: torch.Tensor, weight: Any, bias: Any, mean: Any, variance: Any, training: bool, *_: Any
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    saved = image.new_empty((image.shape[1] if training else 0,), dtype=_statistics(image))
    return _like(image), saved, _like(saved)


def _batch_norm_backward(
    grad: torch.Tensor,
    image: torch.Tensor,
    weight: torch.Tensor | None,
    running_mean: Any,
    running_variance: Any,
    mean: Any,
    variance: Any,
    train: bool,
    epsilon: float,
    output_mask: list[bool],
) -> tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]:
    dtype = _statistics(image) if weight is None else weight.dtype
    return (
        _like(image) if output_mask[0] else None,
        image.new_empty((image.shape[1],), dtype=dtype) if output_mask[1] else None,
        image.new_empty((image.shape[1],), dtype=dtype) if output_mask[2] else None,
    )


def _softmax(x: torch.Tensor, dim: int, half_to_float: bool) -> torch.Tensor:
    # Always contiguous, whatever the layout of ``x``.
    return x.new_empty(x.shape, dtype=torch.float32 if half_to_float else x.dtype)


def _softmax_backward(grad: torch.Tensor, output: torch.Tensor, dim: int, dtype: torch.dtype) -> torch.Tensor:
    return grad.new_empty(grad.shape, dtype=dtype)


def _gradient_of(operator: Any) -> Callable[..., torch.Tensor]:
    """Gradients of activations are as the incoming gradient; where that is a view, torch weighs all operands."""

    def shape(grad: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        return grad.new_empty(grad.shape) if grad.is_contiguous() else operator(grad, *args, **kwargs)

    return shape


def _copy(x: torch.Tensor, *, dtype: Any = None, memory_format: Any = None, **_: Any) -> torch.Tensor:
    return _like(x, dtype, None if memory_format is torch.preserve_format else memory_format)


def _dropout(x: torch.Tensor, p: float, train: bool | None) -> tuple[torch.Tensor, torch.Tensor]:
    return _like(x), _like(x, torch.bool)


def _layer_norm(x: torch.Tensor, normalised: list[int], *_: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rows = x.new_empty((*x.shape[: x.dim() - len(normalised)], *([1] * len(normalised))), dtype=_statistics(x))
    return x.new_empty(x.shape), rows, _like(rows)


def _layer_norm_backward(
    grad: torch.Tensor, x: torch.Tensor, shape: Any, mean: Any, rstd: Any, weight: Any, bias: Any, mask: list[bool]
) -> tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]:
    return (
        x.new_empty(x.shape) if mask[0] else None,
        _like(weight) if mask[1] and weight is not None else None,
        _like(bias) if mask[2] and bias is not None else None,
    )


def _recurrent(x: torch.Tensor, weights: list[torch.Tensor], stride: int, *args: Any) -> tuple[torch.Tensor, ...]:
    _buffer, hidden, cell, mode, size, projected, layers, _first, _dropout, training, bidirectional = args[:11]
    directions = 2 if bidirectional else 1
    out = x.new_empty((*x.shape[:2], directions * (projected or size)))
    # What cuDNN keeps for the backward pass: the gates, and for LSTM the cells, of every step, layer and direction.
    kept = {2: 5, 3: 4}.get(mode, 1) * x.shape[0] * x.shape[1] * size * layers * directions * x.dtype.itemsize
    reserve = x.new_empty((kept if training else 0,), dtype=torch.uint8)
    last = x.new_empty((0,)) if cell is None else _like(cell)
    return out, _like(hidden), last, reserve, x.new_empty((0,))


def _recurrent_backward(x: torch.Tensor, weights: list[torch.Tensor], *args: Any) -> tuple[Any, ...]:
    hidden, cell = args[2], args[3]
    return _like(x), _like(hidden), None if cell is None else _like(cell), [_like(weight) for weight in weights]


def _rms_norm(x: torch.Tensor, shape: list[int], *_: Any) -> tuple[torch.Tensor, torch.Tensor]:
    rows = (*x.shape[: x.dim() - len(shape)], *([1] * len(shape)))
    return x.new_empty(x.shape), x.new_empty(rows, dtype=_statistics(x))


def _rms_norm_backward(
    grad: torch.Tensor, x: torch.Tensor, shape: Any, scale: Any, weight: Any, mask: list[bool]
) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    return x.new_empty(x.shape) if mask[0] else None, _like(weight) if mask[1] else None


_GRADIENTS = (
    "threshold_backward",
    "gelu_backward",
    "silu_backward",
    "sigmoid_backward",
    "tanh_backward",
    "hardswish_backward",
    "hardsigmoid_backward",
    "leaky_relu_backward",
    "native_dropout_backward",
    "hardtanh_backward",
    "mish_backward",
)

SHAPES: dict[Any, Callable[..., Any]] = {
    aten.convolution.default: _convolution,
    aten.convolution_backward.default: _convolution_backward,
    aten.native_batch_norm.default: _batch_norm,
    aten.native_batch_norm_backward.default: _batch_norm_backward,
    aten._softmax.default: _softmax,
    aten._log_softmax.default: _softmax,
    aten._softmax_backward_data.default: _softmax_backward,
    aten._log_softmax_backward_data.default: _softmax_backward,
    aten._to_copy.default: _copy,
    aten.clone.default: _copy,
    aten.empty_like.default: _copy,
    aten.zeros_like.default: _copy,
    aten.ones_like.default: _copy,
    aten.native_dropout.default: _dropout,
    aten.native_layer_norm.default: _layer_norm,
    aten.native_layer_norm_backward.default: _layer_norm_backward,
    aten._cudnn_rnn.default: _recurrent,
    aten._cudnn_rnn_backward.default: _recurrent_backward,
    **{getattr(aten, name).default: _gradient_of(getattr(aten, name).default) for name in _GRADIENTS},
}

if hasattr(aten, "_fused_rms_norm"):
    SHAPES[aten._fused_rms_norm.default] = _rms_norm
    SHAPES[aten._fused_rms_norm_backward.default] = _rms_norm_backward
