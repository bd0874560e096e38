"""Low-rank adapters (LoRA, arXiv:2106.09685) beside frozen layers, with the operators of ``peft/tuners/lora``."""

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from outboard.tracing.adapt import layers

if TYPE_CHECKING:
    from outboard.types.job import Job


class Adapted(nn.Module):
    """A layer with an adapter: ``base(x) + B(A(dropout(x))) * scale``.

    The input is cast to the adapter's type, once for each adapted layer, and kept for backward in that type.
    """

    def __init__(self, base: Any, rank: int, dropout: float) -> None:
        super().__init__()
        inputs, outputs = layers.sizes(base)
        self.base = base
        self.down = nn.Linear(inputs, rank, bias=False, device="meta")
        self.up = nn.Linear(rank, outputs, bias=False, device="meta")
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()

    def forward(self, x: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        """The adapted product, in the type of the base's result."""
        result = self.base(x, *args, **kwargs)
        kind = result.dtype
        x = x.to(self.down.weight.dtype)
        result = result + self.up(self.down(self.dropout(x))) * 2.0
        return result.to(kind)


def add(model: nn.Module, job: "Job") -> None:
    """Put adapters beside the layers that the job targets."""
    for name in layers.chosen(model, job.targets):
        adapted = Adapted(model.get_submodule(name), job.rank, job.adapter_dropout)
        if job.adapter_precision == "fp32":
            for parameter in (adapted.down.weight, adapted.up.weight):
                parameter.own_type = True  # type: ignore[attr-defined]
        layers.replace(model, name, adapted)
