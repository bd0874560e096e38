"""Recurrent layers, which on CUDA are one call into cuDNN and on the CPU a loop over time."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import torch

from outboard.tracing.recorder.cuda.autocast import lowered

# cuDNN's number of each cell.
_MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}


@contextlib.contextmanager
def fused() -> Iterator[None]:
    """Whole sequences go to ``_cudnn_rnn``; packed ones stay as they are."""
    with contextlib.ExitStack() as stack:
        for name, mode in _MODES.items():
            function = _layer(mode, getattr(torch._VF, name))
            stack.enter_context(patch.object(torch._VF, name, function))
        yield


def _layer(mode: int, plain: Callable[..., Any]) -> Callable[..., Any]:
    def layer(*args: Any) -> Any:
        x, state, weights, biased, layers, dropout, training, bidirectional, *rest = args
        if not rest or not isinstance(biased, bool):
            return plain(*args)  # packed: the batch sizes stand before the state
        hidden, cell = state if mode == 2 else (state, None)
        weights = [lowered(weight) for weight in weights]
        size, projected = _sizes(mode, weights[1])
        stride = len(weights) // (layers * (2 if bidirectional else 1))
        out = torch.ops.aten._cudnn_rnn(
            lowered(x), weights, stride, None, lowered(hidden), None if cell is None else lowered(cell), mode, size,
            projected, layers, rest[0], dropout, training, bidirectional, [], None,
        )  # fmt: skip
        return out[:3] if mode == 2 else out[:2]

    return layer


def _sizes(mode: int, recurrent: torch.Tensor) -> tuple[int, int]:
    """Hidden size, and size it is projected to or 0, from the weight that takes the last output back in."""
    size = recurrent.shape[0] // {2: 4, 3: 3}.get(mode, 1)
    return size, recurrent.shape[1] if recurrent.shape[1] != size else 0
