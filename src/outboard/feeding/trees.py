"""Batches are tensors in lists, tuples, dictionaries and whatever else a collate function makes."""

from collections.abc import Callable, Mapping
from typing import Any


def mapped(batch: Any, change: Callable[[Any], Any]) -> Any:
    """The same structure with ``change`` applied to every tensor; what holds no tensor stays the very same object."""
    import torch

    if isinstance(batch, torch.Tensor):
        return change(batch)
    if isinstance(batch, Mapping):
        return type(batch)({key: mapped(value, change) for key, value in batch.items()})  # type: ignore[call-arg]
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(mapped(value, change) for value in batch))
    if isinstance(batch, list | tuple):
        return type(batch)(mapped(value, change) for value in batch)
    return batch


def tensors(batch: Any) -> list[Any]:
    """Every tensor of a batch, in order."""
    found: list[Any] = []
    mapped(batch, lambda tensor: found.append(tensor) or tensor)
    return found


def size(batch: Any) -> int:
    """Bytes of all tensors [B]."""
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors(batch))
