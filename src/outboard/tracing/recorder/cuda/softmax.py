"""Softmax of fp16 into fp32, which on CUDA is one kernel without a copy in between."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import torch
import torch.nn.functional as F  # noqa: N812 (everybody's name for it)


def _converting(plain: Callable[..., torch.Tensor], fused: Any) -> Callable[..., torch.Tensor]:
    def function(input: torch.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> torch.Tensor:
        if dim is not None and dtype == torch.float32 and input.dtype == torch.float16:
            return fused(input, dim, True)
        return plain(input, dim, _stacklevel, dtype)

    return function


@contextlib.contextmanager
def fused() -> Iterator[None]:
    """For ``torch.nn.functional``, where models ask for it."""
    softmax, log_softmax = torch.ops.aten._softmax, torch.ops.aten._log_softmax
    with (
        patch.object(F, "softmax", _converting(F.softmax, softmax)),
        patch.object(F, "log_softmax", _converting(F.log_softmax, log_softmax)),
    ):
        yield
