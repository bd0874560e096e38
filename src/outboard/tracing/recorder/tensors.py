"""Small questions about tensors that the recorder asks for every operator, kept cheap."""

from collections.abc import Iterable
from math import prod
from typing import Any

import torch

_DTYPES = {
    torch.float64: "fp64",
    torch.float32: "fp32",
    torch.float16: "fp16",
    torch.bfloat16: "bf16",
    torch.int64: "int64",
    torch.int32: "int32",
    torch.int16: "int16",
    torch.int8: "int8",
    torch.uint8: "uint8",
    torch.bool: "bool",
    torch.complex64: "complex",
    torch.complex128: "complex",
    torch.complex32: "complex",
}


def dtype_name(dtype: torch.dtype) -> str:
    """One of :data:`outboard.types.trace.DTYPES`."""
    name = _DTYPES.get(dtype)
    if name is not None:
        return name
    return "fp8" if "float8" in str(dtype) else "int64"


def collect(values: Iterable[Any], into: list[torch.Tensor]) -> list[torch.Tensor]:
    """Tensors among ``values``, and among the lists in them, appended to ``into``."""
    for value in values:
        if isinstance(value, torch.Tensor):
            into.append(value)
        elif isinstance(value, (list, tuple)):
            collect(value, into)
    return into


def touched_bytes(tensor: torch.Tensor, storage_bytes: int) -> float:
    """Bytes of memory behind a view: expanded dimensions count once, overlapping windows as much as there is."""
    shape, strides = tensor.shape, tensor.stride()
    elements = prod(shape)
    if elements and 0 in strides:
        elements = prod(size for size, stride in zip(shape, strides, strict=True) if stride)
    return float(min(elements * tensor.dtype.itemsize, storage_bytes))


def operand_dtype(inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> str:
    """The type an operator computes in: that of its first floating operand, else of its first result."""
    for tensor in inputs:
        if tensor.dtype.is_floating_point or tensor.dtype.is_complex:
            return dtype_name(tensor.dtype)
    for tensor in outputs or inputs:
        return dtype_name(tensor.dtype)
    return "int64"
