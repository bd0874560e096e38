"""litgpt's own model and loop of October 2023, as far as autograd sees it: ``python:`` workloads for its table.

The table's page (Lightning-AI/litgpt@26857050fe3f:tutorials/resource-tables.md) names finetune/lora.py with its
hyperparameters, torch 2.1.0 and bitsandbytes 0.41.1. Written after that version's lit_gpt/model.py (a fused projection
of query, key and value; GELU as one kernel; rotary embeddings in the model's type), lit_gpt/lora.py (one adapter for
query and value, its halves spread by ``zero_pad``), lit_gpt/rmsnorm.py, lightning/fabric (a module in bf16-true gives
out fp32) and finetune/lora.py (head in chunks of 128 tokens, one cross entropy for each chunk). bitsandbytes 0.41 keeps
the input of each product with weights of four bits (``ctx.tensors = (A, B)`` in autograd/_functions.py).
"""

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 (everybody's name for it)
from torch import nn

from outboard.tracing.adapt.quantized import Quantized

CHUNK, RANK, DROPOUT = 128, 8, 0.05


class OlderFourBit(torch.autograd.Function):
    """bitsandbytes 0.41: weights dequantised for the product and again in backward; the input is kept."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, layer: Quantized) -> torch.Tensor:
        ctx.kept, ctx.layer = x, layer
        return F.linear(x, layer.weight_in(x.dtype))

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0] @ ctx.layer.weight_in(grads[0].dtype), None


class FourBitLinear(nn.Module):
    """A frozen linear layer in ``kind``: nf4 or nf4-dq."""

    def __init__(self, layer: nn.Linear, kind: str) -> None:
        super().__init__()
        self.layer = Quantized(layer, kind, torch.bfloat16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found = OlderFourBit.apply(x, self.layer)
        return found if self.layer.bias is None else found + self.layer.bias


def linear(inputs: int, outputs: int, bias: bool, kind: str) -> nn.Module:
    """A frozen linear layer, quantised where ``kind`` says so."""
    layer = nn.Linear(inputs, outputs, bias=bias, device="meta").requires_grad_(False)
    return FourBitLinear(layer, kind) if kind else layer


class Norm(nn.Module):
    """lit_gpt/rmsnorm.py: in fp32, given out in the type of the input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width, device="meta"), requires_grad=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        kind = x.dtype
        x = x.float()
        normed = x * torch.rsqrt(torch.mean(x * x, dim=-1, keepdim=True) + 1e-5)
        return (self.weight * normed).to(dtype=kind)


class Projection(nn.Module):
    """LoRAQKVLinear with adapters for query and value."""

    def __init__(self, width: int, bias: bool, kind: str) -> None:
        super().__init__()
        self.width = width
        self.base = linear(width, 3 * width, bias, kind)
        self.down = nn.Parameter(torch.empty(2 * RANK, width, device="meta"))
        self.up = nn.Parameter(torch.empty(2 * width, RANK, device="meta"))
        places = [*range(width), *range(2 * width, 3 * width)]
        self.places: torch.Tensor
        self.register_buffer("places", torch.tensor(places))
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result = self.base(x)
        low = F.linear(self.dropout(x), self.down)
        high = F.conv1d(low.transpose(-2, -1), self.up.unsqueeze(-1), groups=2).transpose(-2, -1)
        padded = x.new_zeros(*x.shape[:-1], 3 * self.width).view(-1, 3 * self.width)
        padded = padded.index_copy(1, self.places, high.reshape(-1, 2 * self.width))
        return result + padded.view(*x.shape[:-1], -1) * 2.0


class Block(nn.Module):
    """phi-1.5: one norm, attention and feed-forward side by side. Llama: two norms, one after the other."""

    def __init__(self, shape: dict[str, int], kind: str) -> None:
        super().__init__()
        width, inner = shape["width"], shape["inner"]
        self.heads, self.rotated, self.phi = shape["heads"], shape["rotated"], bool(shape["phi"])
        bias = self.phi
        self.norm: nn.Module = nn.LayerNorm(width, device="meta").requires_grad_(False) if self.phi else Norm(width)
        self.norm_2 = None if self.phi else Norm(width)
        self.attn = Projection(width, bias, kind)
        self.proj = linear(width, width, bias, kind)
        self.fc = linear(width, inner, bias, kind)
        self.fc_2 = None if self.phi else linear(width, inner, bias, kind)
        self.out = linear(inner, width, bias, kind)

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        normed = self.norm(x)
        found = self.attention(normed, cos, sin)
        if self.norm_2 is None or self.fc_2 is None:
            return found + self.out(F.gelu(self.fc(normed), approximate="tanh")) + x
        x = found + x
        normed = self.norm_2(x)
        return self.out(F.silu(self.fc(normed)) * self.fc_2(normed)) + x

    def attention(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        batch, tokens, width = x.shape
        qkv = self.attn(x).view(batch, tokens, self.heads, 3, -1).permute(0, 2, 3, 1, 4)
        q, k, v = (part.reshape(batch, -1, tokens, width // self.heads) for part in qkv.split((1, 1, 1), dim=2))
        q = torch.cat((self.rotate(q[..., : self.rotated], cos, sin), q[..., self.rotated :]), dim=-1)
        k = torch.cat((self.rotate(k[..., : self.rotated], cos, sin), k[..., self.rotated :]), dim=-1)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(batch, tokens, width))

    @staticmethod
    def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        half = x.size(-1) // 2
        turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
        return ((x * cos) + (turned * sin)).type_as(x)


class Model(nn.Module):
    """The whole model; gives out its logits in chunks of fp32."""

    def __init__(self, shape: dict[str, int], kind: str) -> None:
        super().__init__()
        width, vocabulary = shape["width"], shape["vocabulary"]
        self.embeddings = nn.Embedding(vocabulary, width, device="meta").requires_grad_(False)
        self.blocks = nn.ModuleList(Block(shape, kind) for _ in range(shape["layers"]))
        self.norm: nn.Module = nn.LayerNorm(width, device="meta").requires_grad_(False) if shape["phi"] else Norm(width)
        self.head = linear(width, vocabulary, bool(shape["phi"]), kind)
        self.register_buffer("cos", torch.empty(shape["tokens"], shape["rotated"]))
        self.register_buffer("sin", torch.empty(shape["tokens"], shape["rotated"]))

    def forward(self, ids: torch.Tensor) -> list[torch.Tensor]:
        x = self.embeddings(ids)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        x = self.norm(x)
        logits = [self.head(part) for part in x.split(CHUNK, dim=1)]
        return [part.float() for part in logits]


def loss(logits: list[torch.Tensor], targets: torch.Tensor) -> torch.Tensor:
    """``chunked_cross_entropy`` over what the model gave out."""
    parts = zip(logits, targets.split(CHUNK, dim=1), strict=True)
    losses = [F.cross_entropy(one.reshape(-1, one.size(-1)), of.reshape(-1), reduction="none") for one, of in parts]
    return torch.cat(losses).mean()


# The longest sequence of Alpaca under each tokenizer is given in the table.
PHI = {
    "width": 2048, "inner": 8192, "heads": 32, "layers": 24, "rotated": 32, "vocabulary": 51200, "tokens": 1044,
    "phi": 1,
}  # fmt: skip
LLAMA_2 = {
    "width": 4096, "inner": 11008, "heads": 32, "layers": 32, "rotated": 128, "vocabulary": 32000, "tokens": 1304,
    "phi": 0,
}  # fmt: skip


def _step(shape: dict[str, int], kind: str, batch: int) -> tuple[Any, Any, Any]:
    ids = torch.zeros((batch, shape["tokens"]), dtype=torch.long)
    return Model(shape, kind), (ids, ids), loss


def phi_bf16(batch_size: int) -> Any:
    """phi-1.5 in bf16-true."""
    return _step(PHI, "", batch_size)


def phi_nf4(batch_size: int) -> Any:
    """phi-1.5 in bnb.nf4."""
    return _step(PHI, "nf4", batch_size)


def phi_nf4_dq(batch_size: int) -> Any:
    """phi-1.5 in bnb.nf4-dq."""
    return _step(PHI, "nf4-dq", batch_size)


def llama_bf16(batch_size: int) -> Any:
    """Llama 2 7B in bf16-true."""
    return _step(LLAMA_2, "", batch_size)


def llama_nf4(batch_size: int) -> Any:
    """Llama 2 7B in bnb.nf4."""
    return _step(LLAMA_2, "nf4", batch_size)


def llama_nf4_dq(batch_size: int) -> Any:
    """Llama 2 7B in bnb.nf4-dq."""
    return _step(LLAMA_2, "nf4-dq", batch_size)
