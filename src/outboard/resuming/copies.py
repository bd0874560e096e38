"""The state as it is now, copied to the host into memory that the next copy uses again."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from outboard.resuming.plain import encoded

Walk = Callable[[Any, str, Callable[[Any, str], Any], bool], Any]  # as plain.encoded
OVERHEAD = 64 * 1024  # of the archive and its index [B]
EACH = 1024  # of one tensor's entry [B]


class Copier:
    """Copies states; one copy is valid until the next one is made."""

    def __init__(self, strict: bool = True) -> None:
        self.strict = strict
        self._buffers: dict[str, tuple[Any, Any]] = {}
        self._used: set[str] = set()
        self._devices: set[int] = set()
        self._seen: dict[Any, Any] = {}  # what is shared is copied, and written, once

    def copy(self, state: Any, walk: Walk = encoded) -> tuple[Any, int, Callable[[], None]]:
        """Return the state as plain values and tensors of the host, its bytes, and what waits until it is all there.

        Copies from a GPU are ordered by its stream: training goes on at once, and only who writes has to wait. Raises
        :class:`UsageError` for a state that cannot be saved.
        """
        self._used, self._seen, self._devices = set(), {}, set()
        made = walk(state, "", self._tensor, self.strict)
        for name in self._buffers.keys() - self._used:
            del self._buffers[name]
        copies = [copy for _source, copy in self._seen.values()]
        size = sum(each.numel() * each.element_size() + EACH for each in copies) + OVERHEAD
        self._seen = {}
        return made, size, _waiting(self._devices)

    def _tensor(self, tensor: Any, path: str) -> Any:
        import torch

        tensor = tensor.detach()
        if tensor.layout is not torch.strided or tensor.is_quantized or type(tensor) is not torch.Tensor:
            return tensor.cpu().clone()
        key = (tensor.data_ptr() or path, tensor.dtype, tensor.shape, tensor.stride(), tensor.device)
        if key not in self._seen:
            # The tensor itself is held too: in freed memory another one would pass for it.
            self._seen[key] = tensor, self._copied(tensor, path)
        return self._seen[key][1]

    def _copied(self, tensor: Any, path: str) -> Any:
        buffer = self._buffer(tensor, path)
        plain = tensor.device.type == "cpu" and not tensor.is_conj() and not tensor.is_neg()
        if plain and buffer.stride() == tensor.stride():
            # Quicker than torch's own copy where other processes want the cores too: that one waits for its threads.
            ctypes.memmove(buffer.data_ptr(), tensor.data_ptr(), tensor.numel() * tensor.element_size())
            return buffer
        on_gpu = tensor.device.type == "cuda"
        buffer.copy_(tensor, non_blocking=on_gpu)
        if on_gpu:
            self._devices.add(tensor.device.index)
        return buffer

    def _buffer(self, tensor: Any, path: str) -> Any:
        """Memory of the host in the tensor's own layout, without gaps."""
        import torch

        self._used.add(path)
        buffer, wanted = self._buffers.get(path), (tensor.shape, tensor.dtype, tensor.stride())
        if buffer is None or buffer[0] != wanted:
            made = torch.empty_like(tensor, device="cpu", pin_memory=tensor.device.type == "cuda")
            buffer = self._buffers[path] = (wanted, made)
        return buffer[1]


def _waiting(devices: set[int]) -> Callable[[], None]:
    """What waits for the copies that were just begun on the current stream of each GPU."""
    import torch

    events = []
    for number in devices:
        event = torch.cuda.Event()
        event.record(torch.cuda.current_stream(number))
        events.append(event)

    def wait() -> None:
        for event in events:
            event.synchronize()

    return wait
