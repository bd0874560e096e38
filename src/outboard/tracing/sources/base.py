"""What a source hands to the recorder, and what sources share."""

import difflib
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


@dataclass
class Batch:
    """One batch as the model is called with it: ``model(*args, **kwargs)``, and what the loss compares with."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict[str, Any])
    targets: Any = None


@dataclass
class Built:
    """A model without weights, how to feed it and how to judge it.

    ``make_batch`` is called where tensors are fake; floating inputs are cast to the job's precision afterwards.
    ``loss`` takes the model's output and the batch's targets. ``checkpoint`` switches gradient checkpointing on.
    """

    model: "torch.nn.Module"
    make_batch: Callable[[int], Batch]
    loss: Callable[[Any, Any], "torch.Tensor"]
    unit: str
    image_size: int | None = None
    seq_len: int | None = None
    tokens_per_sample: int | None = None
    checkpoint: Callable[[], object] | None = None
    default_size: str = ""  # what to try when the model refuses its input
    warnings: list[str] = field(default_factory=list[str])
    versions: dict[str, str] = field(default_factory=dict[str, str])
    optimizer: str | None = None  # what the user's own code asks for
    around: Callable[[], AbstractContextManager[object]] = nullcontext  # entered while steps are recorded


def nearest(name: str, names: Iterable[str], count: int = 5) -> list[str]:
    """The names most like ``name``, best first."""
    known = list(names)
    close = difflib.get_close_matches(name, known, count, 0.5)
    return close or [other for other in known if name.split("_")[0].split("-")[0] in other][:count]
