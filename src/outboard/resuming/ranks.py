"""The processes of one training, and what they tell each other about its checkpoints."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any

from outboard.errors import CheckpointError
from outboard.i18n import _

PATIENCE = timedelta(minutes=10)  # for the slowest rank


class Ranks:
    """All ranks where torch.distributed is initialised, this process alone where it is not.

    They talk on groups of their own, on the host: the devices' traffic is not touched.
    """

    def __init__(self) -> None:
        self._group: Any = None
        self._savers: Any = None

    @property
    def rank(self) -> int:
        """The number of this process; 0 writes."""
        dist = _distributed()
        return dist.get_rank() if dist else int(os.environ.get("RANK", "0") or 0)

    @property
    def world(self) -> int:
        """How many talk to each other."""
        dist = _distributed()
        return dist.get_world_size() if dist else 1

    def all(self, value: Any) -> list[Any]:
        """What every rank has, by rank. Every rank has to ask."""
        dist = _distributed()
        if dist is None or self.world == 1:
            return [value]
        found: list[Any] = [None] * self.world
        try:
            dist.all_gather_object(found, value, group=self._talk())
        except RuntimeError as error:
            raise _silent(error) from error
        return found

    def first(self, value: Any) -> Any:
        """What rank 0 has. Every rank has to ask."""
        return self.all(value)[0]

    def any(self, value: bool) -> bool:
        """Whether it is so on any rank. Every rank has to ask, at the same step."""
        dist = _distributed()
        if dist is None or self.world == 1:
            return value
        import torch

        flag = torch.tensor([int(value)])
        try:
            dist.all_reduce(flag, op=dist.ReduceOp.MAX, group=self._talk())
        except RuntimeError as error:
            raise _silent(error) from error
        return bool(flag.item())

    def savers(self) -> Any:
        """A group for torch.distributed.checkpoint, which uses it in the background; None where there is one rank."""
        dist = _distributed()
        if dist is None or self.world == 1:
            return None
        if self._savers is None:
            self._savers = dist.new_group(backend="gloo", timeout=PATIENCE)
        return self._savers

    def _talk(self) -> Any:
        dist = _distributed()
        if self._group is None and dist is not None:
            self._group = dist.new_group(backend="gloo", timeout=PATIENCE)
        return self._group


def _distributed() -> Any:
    import torch.distributed as dist

    return dist if dist.is_available() and dist.is_initialized() else None


def _silent(error: RuntimeError) -> CheckpointError:
    text = _(
        "not every rank took part: save(), restore(), wait() and stop_if_asked() are called by all ranks ({error})"
    )
    return CheckpointError(text.format(error=str(error).splitlines()[0][:200]))
