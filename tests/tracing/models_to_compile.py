"""A small language model in plain torch, with the pieces that compilers treat unlike eager execution."""

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 (everybody's name for it)
from torch import nn

WIDTH, HEADS, INNER, LAYERS, TOKENS, VOCABULARY = 64, 4, 160, 2, 32, 512


class RmsNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        wide = x.to(torch.float32)
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * wide.to(x.dtype)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = RmsNorm(), RmsNorm()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.gate, self.up = (nn.Linear(WIDTH, INNER, bias=False) for _ in range(2))
        self.down = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.before(x)
        batch, tokens, _width = x.shape
        q, k, v = (
            part(y).view(batch, tokens, HEADS, -1).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        found = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(found.transpose(1, 2).reshape(batch, tokens, -1))
        y = self.between(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class LanguageModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embeddings = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm, self.head = RmsNorm(), nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, ids: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        x = self.embeddings(ids)
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x)).float()
        return F.cross_entropy(logits.view(-1, VOCABULARY), labels.view(-1))


def language_model(batch_size: int) -> tuple[Any, Any, Any]:
    """The model, a batch, and its own loss, in the form of ``python:`` workloads."""
    ids = torch.zeros((batch_size, TOKENS), dtype=torch.long)
    return LanguageModel(), {"ids": ids, "labels": ids}, lambda output: output
