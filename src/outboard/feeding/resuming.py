"""Carrying on in the middle of an epoch: the same order of samples, without loading those that were seen."""

import copy
from collections.abc import Iterator
from itertools import islice
from typing import Any


def random_state(loader: Any) -> dict[str, Any]:
    """What the order of the next epoch depends on: torch's generator of the host, and those of loader and sampler."""
    import torch

    found = {"host": torch.get_rng_state()}
    return found | {name: each.get_state() for name, each in _generators(loader).items()}


def set_random_state(loader: Any, state: dict[str, Any]) -> None:
    """Put back what :func:`random_state` gave."""
    import torch

    torch.set_rng_state(state["host"])
    for name, generator in _generators(loader).items():
        if name in state:
            generator.set_state(state[name])


def _generators(loader: Any) -> dict[str, Any]:
    owners = {"loader": loader, "sampler": getattr(loader, "sampler", None)}
    found = {name: getattr(owner, "generator", None) for name, owner in owners.items()}
    return {name: generator for name, generator in found.items() if generator is not None}


def skipping(loader: Any, count: int) -> Iterator[Any]:
    """The batches of ``loader`` from number ``count`` on.

    A loader that draws indices skips indices. Any other one, of a stream or with its own iteration, loads and drops.
    """
    from torch.utils.data import DataLoader, IterableDataset

    indexed = type(loader) is DataLoader and not isinstance(loader.dataset, IterableDataset)
    if count == 0 or not indexed or loader.batch_sampler is None:
        return islice(iter(loader), count, None)
    rest = copy.copy(loader)
    # A loader refuses a new sampler by assignment once it is made; this one is a copy that serves one epoch.
    rest.__dict__["batch_sampler"] = _Rest(loader.batch_sampler, count)
    rest.__dict__["_iterator"] = None
    return iter(rest)


class _Rest:
    """A batch sampler without its first batches."""

    def __init__(self, sampler: Any, count: int) -> None:
        self.sampler, self.count = sampler, count

    def __iter__(self) -> Iterator[Any]:
        return islice(iter(self.sampler), self.count, None)

    def __len__(self) -> int:
        return max(len(self.sampler) - self.count, 0)
