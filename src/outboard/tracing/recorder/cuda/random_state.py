"""Random state, which gradient checkpointing saves and restores: no tensors of the step, and not for fake ones."""

import contextlib
from collections.abc import Iterator
from unittest.mock import patch

import torch


@contextlib.contextmanager
def left_alone() -> Iterator[None]:
    """Saving and restoring the random state does nothing."""
    with (
        patch.object(torch, "get_rng_state", lambda: None),
        patch.object(torch, "set_rng_state", lambda _: None),
        patch.object(torch.random, "fork_rng", _no_fork),
    ):
        yield


@contextlib.contextmanager
def _no_fork(*_: object, **__: object) -> Iterator[None]:
    yield
