"""Losses of language models that hold fewer logits.

*Fused*: head, cross entropy and their backward in one pass over slices of the tokens, so that logits are never there at
once. As ``LigerFusedLinearCrossEntropyFunction`` does it (linkedin/Liger-Kernel, ops/fused_linear_cross_entropy.py):
about as many slices as the vocabulary is wider than the hidden state; gradients are made in the forward pass.

*Chunked*: the logits are all there, in pieces of the model's own type, and only the cross entropy of one piece after
the other is in fp32. As ``CEWithChunkedOutputLoss`` does it (pytorch/torchtune, torchtune/modules/loss).
"""

from math import gcd
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F  # noqa: N812 (everybody's name for it)
from torch import nn

from outboard.errors import JobError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.tracing.sources.base import Built
    from outboard.types.job import Job

MOST_SLICES = 64
CHUNKS = 8


class Sliced(torch.autograd.Function):
    """Mean cross entropy of ``hidden @ weight.T``, slice by slice."""

    @staticmethod
    def forward(ctx: Any, hidden: torch.Tensor, weight: torch.Tensor, labels: torch.Tensor, slices: int) -> Any:
        """The loss; the gradients of hidden states and weights are made and kept on the way."""
        to_hidden = torch.zeros_like(hidden)
        to_weight = torch.zeros_like(weight) if ctx.needs_input_grad[1] else None
        losses = torch.zeros(hidden.shape[0], dtype=torch.float32, device=hidden.device)
        size = hidden.shape[0] // slices
        for start in range(0, size * slices, size):
            part = hidden[start : start + size]
            logits = part @ weight.t()
            losses[start : start + size].add_(labels[start : start + size])
            logits.mul_(1.0)  # the kernel that turns logits into their own gradient, in place
            to_hidden[start : start + size] = logits @ weight
            if to_weight is not None:
                to_weight.add_(logits.t() @ part)
        ctx.save_for_backward(to_hidden, to_weight)
        return losses.sum()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradients that are there already, scaled in place."""
        to_hidden, to_weight = ctx.saved_tensors
        to_hidden.mul_(grads[0])
        if to_weight is not None:
            to_weight.mul_(grads[0])
        return to_hidden, to_weight, None, None


class OwnLoss(nn.Module):
    """A causal language model that gives out its loss and no logits."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    @property
    def config(self) -> Any:
        """That of the model."""
        return self.model.config

    @property
    def dtype(self) -> torch.dtype:
        """That of the model's weights."""
        return self.model.dtype

    def get_input_embeddings(self) -> Any:
        """Those of the model."""
        return self.model.get_input_embeddings()


class FusedLoss(OwnLoss):
    """In ``slices`` that are never there together."""

    def __init__(self, model: Any, slices: int) -> None:
        super().__init__(model)
        self.slices = slices

    def forward(self, labels: torch.Tensor, **inputs: Any) -> Any:
        """Only the loss."""
        hidden = self.model.base_model(**inputs).last_hidden_state
        head = self.model.get_output_embeddings()
        flat = hidden.reshape(-1, hidden.shape[-1])
        weight = head.weight
        if torch.is_autocast_enabled("cpu"):
            flat, weight = (tensor.to(torch.get_autocast_dtype("cpu")) for tensor in (flat, weight))
        return SimpleNamespace(loss=Sliced.apply(flat, weight, labels.reshape(-1), self.slices))


class ChunkedLoss(OwnLoss):
    """Over ``CHUNKS`` pieces of the logits."""

    def forward(self, labels: torch.Tensor, **inputs: Any) -> Any:
        """Only the loss."""
        hidden = self.model.base_model(**inputs).last_hidden_state
        head = self.model.get_output_embeddings()
        pieces = [head(part) for part in hidden.tensor_split(CHUNKS, dim=1)]
        parts = zip(pieces, labels.tensor_split(CHUNKS, dim=1), strict=True)
        losses = [F.cross_entropy(one.float().flatten(0, 1), of.flatten(), reduction="sum") for one, of in parts]
        loss = losses[0]
        for other in losses[1:]:
            loss = loss + other
        return SimpleNamespace(loss=loss)


def add(built: "Built", job: "Job") -> None:
    """Wrap the model of ``built``."""
    model: Any = built.model
    head = getattr(model, "get_output_embeddings", lambda: None)()
    names = set(built.make_batch(1).kwargs)
    if head is None or "labels" not in names or names - {"input_ids", "labels", "attention_mask"}:
        message = _("{workload} is no language model, which a chunked or fused loss needs; leave --loss out")
        raise JobError(message.format(workload=job.workload))
    if job.loss == "chunked":
        built.model = ChunkedLoss(model)
        return
    vocabulary, width = head.weight.shape
    built.model = FusedLoss(model, slices_of(vocabulary, width, built.seq_len or 1))


def slices_of(vocabulary: int, width: int, length: int) -> int:
    """How many slices: the power of two below vocabulary / width that divides a sequence of ``length`` tokens.

    >>> slices_of(128256, 2048, 2048), slices_of(32000, 4096, 1304)
    (32, 4)
    """
    wanted = min(max(vocabulary // width, 1), MOST_SLICES)
    return gcd(1 << (wanted.bit_length() - 1), length)
