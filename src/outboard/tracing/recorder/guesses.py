"""What a step does where values decide and there are none: it goes on with an assumption, and says so.

Half of what is asked about is taken to be true, half of the boxes to overlap, and a number that is read to be zero.
"""

from math import prod
from typing import Any

import torch

_SHARE = 2  # one in two


def number(tensor: torch.Tensor) -> Any:
    """The value of a tensor of one element."""
    return False if tensor.dtype == torch.bool else 0.0 if tensor.dtype.is_floating_point else 0


def entries(func: Any, args: Any) -> Any:
    """The result of an operator whose size depends on values, as a meta tensor; None if it is not known here."""
    packet = func._schema.name.partition("::")[2]
    first: torch.Tensor = args[0]
    count = max(prod(first.shape) // _SHARE, 1)
    if packet == "nonzero":
        return torch.empty((count, first.dim()), dtype=torch.int64, device="meta")
    if packet == "masked_select":
        return torch.empty((count,), dtype=first.dtype, device="meta")
    if packet == "nms":
        return torch.empty((max(first.shape[0] // _SHARE, 1),), dtype=torch.int64, device="meta")
    if packet == "index":
        return _masked(first, args[1])
    return None


def _masked(source: torch.Tensor, indices: Any) -> torch.Tensor | None:
    masks = [index for index in indices if index is not None]
    if len(masks) != 1 or masks[0].dtype not in (torch.bool, torch.uint8):
        return None
    before = indices.index(masks[0]) if indices[0] is None else 0
    after = before + masks[0].dim()
    count = max(prod(masks[0].shape) // _SHARE, 1)
    shape = (*source.shape[:before], count, *source.shape[after:])
    return torch.empty(shape, dtype=source.dtype, device="meta")
