"""A denoising UNet in the layout of Stable Diffusion 1.5, so that image generation can be forecast without diffusers.

Channels 320, 640, 1280, 1280; two residual blocks a level on the way down and three on the way up; transformers with
cross-attention on the three finer levels and in the middle; 8 heads; text of 77 tokens of 768. Layout: Rombach et al.
2022, "High-Resolution Image Synthesis with Latent Diffusion Models"; 859.5 million parameters, as published.
"""

import math

import torch
import torch.nn.functional as F  # noqa: N812 (everybody's name for it)
from torch import nn

CHANNELS = (320, 640, 1280, 1280)
ATTENDING = (True, True, True, False)
TEXT_WIDTH = 768
TEXT_LENGTH = 77
HEADS = 8
TIME_WIDTH = 1280


class Residual(nn.Module):
    """Two convolutions around the time embedding, beside a shortcut."""

    def __init__(self, inside: int, outside: int) -> None:
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(32, inside), nn.Conv2d(inside, outside, 3, padding=1)
        self.time = nn.Linear(TIME_WIDTH, outside)
        self.norm2, self.conv2 = nn.GroupNorm(32, outside), nn.Conv2d(outside, outside, 3, padding=1)
        self.shortcut = nn.Identity() if inside == outside else nn.Conv2d(inside, outside, 1)

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        """Shapes: x (N, C, H, W), time (N, TIME_WIDTH)."""
        hidden = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(time))[:, :, None, None]
        return self.shortcut(x) + self.conv2(F.silu(self.norm2(hidden)))


class Attention(nn.Module):
    """Multi-head attention from x to itself or to a text."""

    def __init__(self, width: int, source: int, fused: bool) -> None:
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key, self.value = nn.Linear(source, width, bias=False), nn.Linear(source, width, bias=False)
        self.out = nn.Linear(width, width)
        self.fused = fused

    def forward(self, x: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        """Shapes: x (N, L, C), source (N, S, D)."""
        query, key, value = (
            projected.unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for projected in (self.query(x), self.key(source), self.value(source))
        )
        if self.fused:
            mixed = F.scaled_dot_product_attention(query, key, value)
        else:
            scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
            mixed = scores.softmax(-1) @ value
        return self.out(mixed.transpose(1, 2).flatten(-2))


class Transformer(nn.Module):
    """Self-attention, cross-attention and a gated feed-forward over the pixels of a feature map."""

    def __init__(self, width: int, fused: bool) -> None:
        super().__init__()
        self.norm, self.enter = nn.GroupNorm(32, width), nn.Conv2d(width, width, 1)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.to_self, self.to_text = Attention(width, width, fused), Attention(width, TEXT_WIDTH, fused)
        self.widen, self.narrow = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)
        self.leave = nn.Conv2d(width, width, 1)

    def forward(self, x: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        """Shapes: x (N, C, H, W), text (N, TEXT_LENGTH, TEXT_WIDTH)."""
        hidden = self.enter(self.norm(x)).flatten(2).transpose(1, 2)
        normed = self.norms[0](hidden)
        hidden = hidden + self.to_self(normed, normed)
        hidden = hidden + self.to_text(self.norms[1](hidden), text)
        value, gate = self.widen(self.norms[2](hidden)).chunk(2, -1)
        hidden = hidden + self.narrow(value * F.gelu(gate))
        return x + self.leave(hidden.transpose(1, 2).unflatten(-1, x.shape[-2:]))


class UNet(nn.Module):
    """Predicts the noise in latents, given the step and a text. ``fused`` chooses the attention kernel."""

    def __init__(self, fused: bool = True) -> None:
        super().__init__()
        self.time = nn.Sequential(nn.Linear(CHANNELS[0], TIME_WIDTH), nn.SiLU(), nn.Linear(TIME_WIDTH, TIME_WIDTH))
        self.enter = nn.Conv2d(4, CHANNELS[0], 3, padding=1)
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        skips = [CHANNELS[0]]
        width = CHANNELS[0]
        for level, channels in enumerate(CHANNELS):
            for _ in range(2):
                self.down.append(_block(width, channels, ATTENDING[level], fused))
                width = channels
                skips.append(width)
            if level + 1 < len(CHANNELS):
                self.down.append(nn.Conv2d(width, width, 3, stride=2, padding=1))
                skips.append(width)
        self.middle = nn.ModuleList([Residual(width, width), Transformer(width, fused), Residual(width, width)])
        for level, channels in reversed(list(enumerate(CHANNELS))):
            for _ in range(3):
                self.up.append(_block(width + skips.pop(), channels, ATTENDING[level], fused))
                width = channels
            if level:
                self.up.append(nn.Conv2d(width, width, 3, padding=1))
        self.norm, self.leave = nn.GroupNorm(32, width), nn.Conv2d(width, 4, 3, padding=1)

    def forward(self, latents: torch.Tensor, step: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        """Shapes: latents (N, 4, H, W), step (N,), text (N, TEXT_LENGTH, TEXT_WIDTH); returns the shape of latents."""
        time = self.time(_sinusoids(step, CHANNELS[0]).to(latents.dtype))
        x = self.enter(latents)
        skips = [x]
        for block in self.down:
            x = block(x) if isinstance(block, nn.Conv2d) else _apply(block, x, time, text)
            skips.append(x)
        x = self.middle[2](self.middle[1](self.middle[0](x, time), text), time)
        for block in self.up:
            if isinstance(block, nn.Conv2d):
                x = block(F.interpolate(x, scale_factor=2.0, mode="nearest"))
            else:
                x = _apply(block, torch.cat([x, skips.pop()], 1), time, text)
        return self.leave(F.silu(self.norm(x)))


def _block(inside: int, outside: int, attends: bool, fused: bool) -> nn.ModuleList:
    parts: list[nn.Module] = [Residual(inside, outside)]
    return nn.ModuleList([*parts, Transformer(outside, fused)] if attends else parts)


def _apply(block: nn.Module, x: torch.Tensor, time: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
    residual, *transformers = block.children()
    x = residual(x, time)
    for transformer in transformers:
        x = transformer(x, text)
    return x


def _sinusoids(step: torch.Tensor, width: int) -> torch.Tensor:
    frequencies = torch.exp(torch.arange(width // 2, device=step.device) * (-math.log(10000.0) / (width // 2)))
    angles = step[:, None].float() * frequencies[None, :]
    return torch.cat([angles.cos(), angles.sin()], -1)
