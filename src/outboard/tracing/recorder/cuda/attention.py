"""``scaled_dot_product_attention`` as CUDA chooses: one flash or memory-efficient kernel, or the plain mathematics."""

import contextlib
from collections.abc import Iterator
from unittest.mock import patch

import torch
import torch.nn.functional as F  # noqa: N812 (everybody's name for it)

from outboard.tracing.recorder.cuda.autocast import lowered

# Alignment [elements] that the memory-efficient kernel wants of its bias.
_BIAS_ALIGNMENT = 16
_FLASH_HEAD_SIZE = 256


@contextlib.contextmanager
def patched(attention: str, precision: str) -> Iterator[None]:
    """Fused kernels for "sdpa"; the mathematics for "eager", and for fp64, which no fused kernel takes."""
    function = _mathematics if attention == "eager" or precision == "fp64" else _fused
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)  # one opaque operator for a whole encoder layer
    try:
        with patch.object(F, "scaled_dot_product_attention", function):
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


def _fused(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    query, key, value = lowered(query), lowered(key), lowered(value)
    if query.dim() != 4:
        return _mathematics(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    if attn_mask is None and _flash_takes(query, value):
        aten = torch.ops.aten._scaled_dot_product_flash_attention
        return aten(query, key, value, dropout_p, is_causal, scale=scale)[0]
    key, value = _repeated(query, key, value)
    bias = None if attn_mask is None else _bias(query, key, attn_mask)
    needs_grad = any(t is not None and t.requires_grad for t in (query, key, value, bias))
    aten = torch.ops.aten._scaled_dot_product_efficient_attention
    saves = needs_grad and torch.is_grad_enabled()
    return aten(query, key, value, bias, saves, dropout_p, is_causal, scale=scale)[0]


def _flash_takes(query: torch.Tensor, value: torch.Tensor) -> bool:
    size = query.shape[-1]
    return query.dtype in (torch.float16, torch.bfloat16) and size <= _FLASH_HEAD_SIZE and size == value.shape[-1]


def _repeated(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Grouped heads written out, for kernels that do not know them."""
    if key.shape[-3] == query.shape[-3]:
        return key, value
    groups = query.shape[-3] // key.shape[-3]
    return key.repeat_interleave(groups, -3), value.repeat_interleave(groups, -3)


def _bias(query: torch.Tensor, key: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The mask as an aligned bias of the query's type, expanded to every head."""
    if mask.dtype == torch.bool:
        mask = torch.where(mask, query.new_zeros(()), query.new_full((), float("-inf")))
    mask = mask.to(query.dtype)
    columns = mask.shape[-1]
    if columns % _BIAS_ALIGNMENT and columns > 1:
        mask = F.pad(mask, (0, _BIAS_ALIGNMENT - columns % _BIAS_ALIGNMENT))[..., :columns]
    return mask.expand(*query.shape[:-1], key.shape[-2])


def _mathematics(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    if key.dim() > 2:
        key, value = _repeated(query, key, value)
    # torch scales both factors by the root, to stay in range.
    root = (query.shape[-1] ** -0.5 if scale is None else scale) ** 0.5
    scores = torch.matmul(query * root, (key * root).transpose(-2, -1))
    if is_causal:
        causal = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
        attn_mask = causal if attn_mask is None else attn_mask
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            attn_mask = torch.where(attn_mask, query.new_zeros(()), query.new_full((), float("-inf")))
        scores = scores + attn_mask
    weights = torch.softmax(scores, -1)
    if dropout_p:
        weights = F.dropout(weights, dropout_p)
    return torch.matmul(weights, value)
