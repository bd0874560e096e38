"""The feed itself: what is asked for, where an epoch stands, and which way its batches take."""

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from outboard.errors import UsageError
from outboard.feeding import resuming
from outboard.feeding.copies import ahead
from outboard.feeding.images import preparation
from outboard.feeding.trees import mapped, size
from outboard.i18n import _

LEFT_FREE = 0.1  # share of the device's memory that a cache never takes [1]
log = logging.getLogger(__name__)


def feed(
    loader: Any,
    device: Any = "cuda",
    *,
    mean: Sequence[float] | None = None,
    std: Sequence[float] | None = None,
    dtype: Any = None,
    channels_last: bool = False,
    cache: bool = False,
    depth: int = 2,
) -> "Feed":
    """Wrap ``loader``: iterating the result gives its batches on ``device``, the next one copied during this step.

    ::

        for images, labels in outboard.feed(loader, "cuda", mean=MEAN, std=STD, channels_last=True):
            ...

    Images that arrive as uint8 become ``(x / 255 - mean) / std`` in ``dtype`` (torch.float32) on the device, in
    channels-last layout if wanted. With ``cache`` batches stay on the device after the first whole epoch and come in a
    new order each time, if the loader shuffles; their make-up and their augmentation are then those of that epoch.
    ``depth`` batches are under way at most. Raises :class:`UsageError` for what cannot be.
    """
    return Feed(loader, device, preparation(mean, std, dtype, channels_last), cache, depth)


class Feed:
    """Batches of a loader on a device; made by :func:`feed`. ``len()`` is that of the loader."""

    def __init__(self, loader: Any, device: Any, prepare: Any, cache: bool, depth: int) -> None:
        import torch

        if depth < 1:
            raise UsageError(_("depth must be a whole number from 1, not {value}").format(value=depth))
        self.loader = loader
        self.device = torch.device(device)
        self._prepare = prepare
        self._depth = depth
        self._caching = cache
        self._cached: list[Any] | None = None
        self._epoch = 0
        self._batch = 0
        self._began: dict[str, Any] | None = None  # what the order of this epoch came from

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Iterator[Any]:
        if self._cached is not None and self._batch == 0:
            batches = self._from_cache(self._cached)
        else:
            batches = self._moved(self._loaded())
        # The count goes up before a batch is given out: a state saved in the body of the loop holds that batch as seen.
        for batch in batches:
            self._batch += 1
            yield batch
        self._epoch += 1
        self._batch = 0
        self._began = None

    def state_dict(self) -> dict[str, Any]:
        """Where this feed stands; save it beside the model, also in the middle of an epoch."""
        return {"epoch": self._epoch, "batch": self._batch, "began": self._began}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Carry on from there: the next iteration gives the batches of that epoch that were not given yet.

        Samples and their order are the same; random augmentation is drawn anew, as samples seen are not loaded again.
        """
        self._epoch, self._batch, self._began = state["epoch"], state["batch"], state["began"]

    def _loaded(self) -> Iterator[Any]:
        """Batches of the loader from where the epoch stands."""
        import torch

        if self._batch == 0 or self._began is None:
            self._began = resuming.random_state(self.loader)
            yield from self.loader
            return
        now = torch.get_rng_state()
        resuming.set_random_state(self.loader, self._began)
        rest = resuming.skipping(self.loader, self._batch)
        first = next(rest, None)  # the sampler draws its seed here
        torch.set_rng_state(now)
        if first is not None:
            yield first
            yield from rest

    def _moved(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The same on the device, kept there where a cache is wanted and the epoch is whole."""
        keep = self._caching and self._batch == 0
        kept: list[Any] = []
        for batch in self._on_device(batches):
            if keep and not self._has_room(batch):
                log.warning(_("the device has no room for the whole data set; batches are copied as before"))
                keep, kept, self._caching = False, [], False
            if keep:
                kept.append(batch)
            yield batch
        self._cached = kept if keep and kept else self._cached

    def _on_device(self, batches: Iterator[Any]) -> Iterator[Any]:
        if self.device.type == "cuda":
            return ahead(batches, self.device, self._depth, self._prepare)
        if self.device.type == "cpu":
            return map(self._prepare, batches) if self._prepare else batches
        moved = (mapped(batch, lambda tensor: tensor.to(self.device)) for batch in batches)
        return map(self._prepare, moved) if self._prepare else moved

    def _has_room(self, batch: Any) -> bool:
        import torch

        if self.device.type != "cuda":
            return True
        free, whole = torch.cuda.mem_get_info(self.device)
        return free - size(batch) > LEFT_FREE * whole

    def _from_cache(self, cached: list[Any]) -> Iterator[Any]:
        import torch
        from torch.utils.data import SequentialSampler

        count = len(cached)
        fixed = isinstance(getattr(self.loader, "sampler", None), SequentialSampler)
        order = range(count) if fixed else torch.randperm(count).tolist()
        return (cached[index] for index in order)
