"""Dropout, which on CUDA is one kernel that keeps a boolean mask, and on the CPU several with a mask of floats."""

import contextlib
from collections.abc import Iterator
from unittest.mock import patch

import torch
import torch.nn.functional as F  # noqa: N812 (everybody's name for it)

_on_cpu = F.dropout


def _dropout(input: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor:
    if inplace or not 0 < p < 1:
        return _on_cpu(input, p, training, inplace)
    return torch.native_dropout(input, p, True)[0] if training else input


def _functional(input: torch.Tensor, p: float, train: bool) -> torch.Tensor:
    return _dropout(input, p, train)


@contextlib.contextmanager
def fused() -> Iterator[None]:
    """Dropout that is not in place becomes ``native_dropout``."""
    with patch.object(F, "dropout", _dropout), patch.object(torch, "dropout", _functional):
        yield
