"""Kernels of quantised layers as operators without an implementation: only what they read and write matters here."""

from functools import cache
from typing import Any

import torch

_SCHEMAS = (
    "dequantize(Tensor packed, Tensor scales, int rows, int columns, ScalarType dtype) -> Tensor",
    "to_int8(Tensor x) -> Tensor",
    "int8_matmul(Tensor x, Tensor weight) -> Tensor",
)


def dequantize(packed: torch.Tensor, scales: torch.Tensor, rows: int, columns: int, dtype: torch.dtype) -> torch.Tensor:
    """``packed`` in full: rows by columns of ``dtype``."""
    return _operators().dequantize(packed, scales, rows, columns, dtype)


def to_int8(x: torch.Tensor) -> torch.Tensor:
    """``x`` rounded to bytes, row by row."""
    return _operators().to_int8(x)


def int8_matmul(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """The product of two matrices of bytes, in int32."""
    return _operators().int8_matmul(x, weight)


@cache
def _operators() -> Any:
    library = torch.library.Library("outboard", "DEF")
    for schema in _SCHEMAS:
        library.define(schema)
    library.impl("dequantize", _dequantize, "Meta")
    library.impl("to_int8", lambda x: torch.empty(x.shape, dtype=torch.int8, device="meta"), "Meta")
    library.impl("int8_matmul", _int8_matmul, "Meta")
    _kept.append(library)
    return torch.ops.outboard


_kept: list[Any] = []  # a library is gone with its object


def _dequantize(packed: Any, scales: Any, rows: int, columns: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.empty((rows, columns) if columns > 1 else (rows,), dtype=dtype, device="meta")


def _int8_matmul(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return torch.empty((x.shape[0], weight.shape[1]), dtype=torch.int32, device="meta")
