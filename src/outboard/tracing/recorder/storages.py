"""When each storage is born and when it dies, without keeping any alive."""

import weakref
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(slots=True)
class Life:
    """One storage, with positions as in :class:`outboard.types.trace.TensorTable`; death -1 while it lives."""

    id: int
    size: int
    birth: int
    death: int = -1
    category: str = ""


class Storages:
    """Watches storages through weak references. ``clock`` is the number of operators executed so far."""

    def __init__(self) -> None:
        self.clock = 0
        self.lives: list[Life] = []
        self._living: dict[int, tuple[Life, Any]] = {}

    def life(self, tensor: torch.Tensor, birth: int) -> Life | None:
        """The life of the storage behind ``tensor``, which is born at ``birth`` if it was never seen; None if empty."""
        storage = tensor.untyped_storage()
        key = storage._cdata
        known = self._living.get(key)
        if known is not None:
            return known[0]
        size = storage.nbytes()
        if size == 0:
            return None
        life = Life(len(self.lives), size, birth)
        self.lives.append(life)

        def dies(_: object) -> None:
            life.death = self.clock
            del self._living[key]

        self._living[key] = (life, weakref.ref(storage, dies))
        return life

    def name(self, tensor: torch.Tensor, category: str) -> Life | None:
        """Register ``tensor`` under ``category``; a storage nobody saw yet was there before the step."""
        life = self.life(tensor, -1)
        if life is not None and not life.category:
            life.category = category
        return life

    def close(self) -> None:
        """Stop watching: what still lives outlives the step."""
        for life, _ in self._living.values():
            life.death = self.clock
        self._living.clear()
