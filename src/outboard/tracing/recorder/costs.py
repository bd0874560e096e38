"""FLOPs and shapes of one operator from its arguments: what the columns of an operator table hold for each kind."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2, prod
from typing import Any

import torch

Arguments = Sequence[Any]
Tensors = list[torch.Tensor]


@dataclass(slots=True)
class Cost:
    """FLOPs [FLOP], with a multiply-add as two, and the shape columns."""

    flops: float
    m: float = 0.0
    n: float = 0.0
    k: float = 0.0
    g: float = 1.0
    taps: int = 1
    stride: int = 1
    kernels: int = 0  # 0: as many as the operator usually launches


# Elementary operations per element, for kinds that are bound by memory anyway.
_PER_ELEMENT = {"elementwise": 1, "random": 4, "softmax": 5, "softmax_backward": 4, "pool": 2, "pool_backward": 2}


def cost_of(kind: str, base: str, args: Arguments, inputs: Tensors, outputs: Tensors) -> Cost:
    """Cost of an operator that is no convolution."""
    special = _SPECIAL.get(kind)
    if special is not None:
        return special(base, args, inputs, outputs)
    m = float(sum(prod(tensor.shape) for tensor in outputs)) if outputs else 0.0
    return Cost(m * _PER_ELEMENT.get(kind, 0), m)


def _matmul(base: str, args: Arguments, inputs: Tensors, outputs: Tensors) -> Cost:
    if base.startswith("_cudnn_rnn"):
        return _recurrent(base, args)
    left, right = (args[1], args[2]) if base.startswith(("add", "badd", "_add")) and base != "addr" else args[:2]
    if base == "addr":
        m, n = outputs[0].shape
        return Cost(2.0 * m * n, m, n, 1)
    g = prod(left.shape[:-2])
    m = left.shape[-2] if left.dim() > 1 else 1
    k = left.shape[-1]
    n = right.shape[-1] if right.dim() > 1 else 1
    return Cost(2.0 * m * n * k * g, m, n, k, g)


def _recurrent(base: str, args: Arguments) -> Cost:
    """All products of a recurrent layer over a whole sequence; cuDNN launches one kernel a time step and layer."""
    steps, batch = (args[0].shape[1], args[0].shape[0]) if args[_BATCH_FIRST[base]] else args[0].shape[:2]
    matrices = [weight for weight in args[1] if weight.dim() == 2]
    layers = len(args[1]) // args[2]
    m, n = steps * batch, matrices[0].shape[0]
    k = sum(weight.numel() for weight in matrices) / (layers * n)
    products = 2 if base.endswith("backward") else 1
    return Cost(2.0 * m * n * k * layers * products, m, n, k, layers, kernels=steps * layers * products)


_BATCH_FIRST = {"_cudnn_rnn": 10, "_cudnn_rnn_backward": 14}


def _attention(base: str, args: Arguments, inputs: Tensors, outputs: Tensors) -> Cost:
    return _attention_cost(*args[:3], causal=_causal(base, args), products=2)


def _attention_backward(base: str, args: Arguments, inputs: Tensors, outputs: Tensors) -> Cost:
    return _attention_cost(*args[1:4], causal=_causal(base, args), products=5)


def _attention_cost(query: Any, key: Any, value: Any, causal: bool, products: int) -> Cost:
    # Forward: q.k and p.v. Backward: q.k once more, then dv, dp, dq and dk; three of the five run over the key's head.
    *lead, m, k = query.shape
    n, wide = value.shape[-2], value.shape[-1]
    g = prod(lead)
    over_value = products // 2
    flops = 2.0 * g * m * n * (k * (products - over_value) + wide * over_value)
    return Cost(flops / 2 if causal else flops, m, n, k, g)


# Where is_causal stands among the arguments that follow the last tensor; the schemas differ.
_CAUSAL = {
    "_scaled_dot_product_flash_attention": 4,
    "_scaled_dot_product_efficient_attention": 6,
    "_scaled_dot_product_flash_attention_backward": 11,
    "_scaled_dot_product_efficient_attention_backward": 11,
}


def _causal(base: str, args: Arguments) -> bool:
    position = _CAUSAL.get(base, -1)
    return 0 <= position < len(args) and args[position] is True


def _norm(base: str, args: Arguments, inputs: Tensors, outputs: Tensors) -> Cost:
    elements, rows = float(prod(inputs[0].shape)), _rows(base, args, inputs)
    per_element = 8 if "backward" in base else 5
    return Cost(per_element * elements, rows, elements / max(rows, 1))


def _rows(base: str, args: Arguments, inputs: Tensors) -> int:
    """Rows that are normalised: channels for batch norm, groups for group norm, what is left for layer norm."""
    tensor = inputs[1] if base.endswith("backward") and len(inputs) > 1 else inputs[0]
    shape = tensor.shape
    if "batch_norm" in base:
        return shape[1] if len(shape) > 1 else 1
    if "group_norm" in base:
        integers = [value for value in args if isinstance(value, int) and not isinstance(value, bool)]
        return integers[0] * integers[3]  # images, channels, pixels, groups
    if "weight_norm" in base:
        return shape[0]
    normalised = next((value for value in args if isinstance(value, (list, tuple))), shape[-1:])
    return prod(shape) // max(prod(normalised), 1)


def _reduction(base: str, args: Arguments, inputs: Tensors, outputs: Tensors) -> Cost:
    m = float(sum(prod(tensor.shape) for tensor in outputs[:1]))
    return Cost(float(prod(inputs[0].shape)) if inputs else m, m)


def _sort(base: str, args: Arguments, inputs: Tensors, outputs: Tensors) -> Cost:
    elements = float(prod(inputs[0].shape))
    return Cost(elements * log2(max(inputs[0].shape[-1] if inputs[0].dim() else 1, 2)), float(prod(outputs[0].shape)))


def _fft(base: str, args: Arguments, inputs: Tensors, outputs: Tensors) -> Cost:
    tensor = max((inputs[0], outputs[0]), key=lambda t: prod(t.shape))
    length = max(prod(tensor.shape[d] for d in args[1]), 2)
    return Cost(5.0 * prod(tensor.shape) * log2(length), float(prod(outputs[0].shape)))


_SPECIAL: dict[str, Callable[[str, Arguments, Tensors, Tensors], Cost]] = {
    "matmul": _matmul,
    "attention": _attention,
    "attention_backward": _attention_backward,
    "norm": _norm,
    "norm_backward": _norm,
    "reduction": _reduction,
    "sort": _sort,
    "fft": _fft,
}
