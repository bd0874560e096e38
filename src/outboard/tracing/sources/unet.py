"""A denoising UNet of Stable Diffusion's class, with the layout of version 1.5: 860 million parameters at full width.

Residual blocks and cross-attending transformers on four scales. Written after Rombach et al., "High-Resolution Image
Synthesis with Latent Diffusion Models" (2022), section 3 and its appendix; names are our own.
"""

from itertools import pairwise

import torch
import torch.nn.functional as F  # noqa: N812 (everybody's name for it)
from torch import nn


def time_embedding(steps: torch.Tensor, width: int) -> torch.Tensor:
    """Sines and cosines of the denoising step, shape (batch, width)."""
    half = width // 2
    frequency = torch.exp(torch.arange(half, dtype=torch.float32, device=steps.device) * (-9.21034 / half))
    angle = steps[:, None].float() * frequency
    return torch.cat([angle.cos(), angle.sin()], 1)


class Residual(nn.Module):
    """Two convolutions around the time embedding, and a shortcut."""

    def __init__(self, inputs: int, outputs: int, time: int) -> None:
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(32, inputs), nn.Conv2d(inputs, outputs, 3, padding=1)
        self.time = nn.Linear(time, outputs)
        self.norm2, self.conv2 = nn.GroupNorm(32, outputs), nn.Conv2d(outputs, outputs, 3, padding=1)
        self.shortcut = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        """The image with the block added to it."""
        h = self.conv1(F.silu(self.norm1(x)))
        h = h + self.time(F.silu(time))[:, :, None, None]
        return self.shortcut(x) + self.conv2(F.silu(self.norm2(h)))


class Attention(nn.Module):
    """Attention to the image itself, or to the context."""

    def __init__(self, width: int, context: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(width, width, bias=False), nn.Linear(context, width, bias=False)
        self.value, self.out = nn.Linear(context, width, bias=False), nn.Linear(width, width)

    def forward(self, x: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        """Attend from ``x`` to ``context``."""
        parts = self.query(x), self.key(context), self.value(context)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        return self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class Transformer(nn.Module):
    """One transformer block over the pixels of one scale."""

    def __init__(self, width: int, context: int, heads: int) -> None:
        super().__init__()
        self.norm, self.enter, self.leave = (
            nn.GroupNorm(32, width),
            nn.Conv2d(width, width, 1),
            nn.Conv2d(width, width, 1),
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.to_self, self.to_context = Attention(width, width, heads), Attention(width, context, heads)
        self.wide, self.narrow = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        """The image with the block added to it."""
        h = self.enter(self.norm(x))
        rows, columns = h.shape[-2:]
        h = h.flatten(2).transpose(1, 2)
        own = self.norms[0](h)
        h = h + self.to_self(own, own)
        h = h + self.to_context(self.norms[1](h), context)
        value, gate = self.wide(self.norms[2](h)).chunk(2, -1)
        h = h + self.narrow(value * F.gelu(gate))
        return x + self.leave(h.transpose(1, 2).unflatten(2, (rows, columns)))


class Stage(nn.Module):
    """A residual block and, except on the coarsest scale, a transformer."""

    def __init__(self, inputs: int, outputs: int, time: int, context: int, heads: int, attends: bool) -> None:
        super().__init__()
        self.residual = Residual(inputs, outputs, time)
        self.transformer = Transformer(outputs, context, heads) if attends else None

    def forward(self, x: torch.Tensor, time: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        """One scale, one block."""
        x = self.residual(x, time)
        return x if self.transformer is None else self.transformer(x, context)


class UNet(nn.Module):
    """Predicts the noise in a latent image from the image, the denoising step and a text's embedding."""

    def __init__(
        self, channels: tuple[int, ...] = (320, 640, 1280, 1280), context: int = 768, heads: int = 8, blocks: int = 2
    ) -> None:
        super().__init__()
        first, last, time = channels[0], channels[-1], 4 * channels[0]
        self.width = first
        self.time = nn.Sequential(nn.Linear(first, time), nn.SiLU(), nn.Linear(time, time))
        self.enter = nn.Conv2d(4, first, 3, padding=1)

        def stage(inputs: int, outputs: int, attends: bool) -> Stage:
            return Stage(inputs, outputs, time, context, heads, attends)

        self.down, skips, scales = nn.ModuleList(), [first], len(channels)
        for scale, (before, width) in enumerate(pairwise((first, *channels))):
            for block in range(blocks):
                self.down.append(stage(before if block == 0 else width, width, scale < scales - 1))
                skips.append(width)
            if scale < scales - 1:
                self.down.append(nn.Conv2d(width, width, 3, stride=2, padding=1))
                skips.append(width)
        self.middle = nn.ModuleList([stage(last, last, True), stage(last, last, False)])
        self.up, below = nn.ModuleList(), last
        for scale in reversed(range(scales)):
            for _ in range(blocks + 1):
                self.up.append(stage(below + skips.pop(), channels[scale], scale < scales - 1))
                below = channels[scale]
            if scale > 0:
                self.up.append(nn.Conv2d(below, below, 3, padding=1))
        self.norm, self.leave = nn.GroupNorm(32, first), nn.Conv2d(first, 4, 3, padding=1)

    def forward(self, x: torch.Tensor, steps: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        """The noise in ``x``."""
        time = self.time(time_embedding(steps, self.width).to(x.dtype))
        x = self.enter(x)
        skips = [x]
        for layer in self.down:
            x = layer(x, time, context) if isinstance(layer, Stage) else layer(x)
            skips.append(x)
        for layer in self.middle:
            x = layer(x, time, context)
        for layer in self.up:
            if isinstance(layer, Stage):
                x = layer(torch.cat([x, skips.pop()], 1), time, context)
            else:
                x = layer(F.interpolate(x, scale_factor=2.0, mode="nearest"))
        return self.leave(F.silu(self.norm(x)))
