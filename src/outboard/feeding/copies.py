"""Copies on a stream of their own: while the device works on one batch, the next ones cross the link."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from outboard.feeding.trees import mapped, tensors


def ahead(batches: Iterator[Any], device: Any, depth: int, prepare: Callable[[Any], Any] | None) -> Iterator[Any]:
    """Yield the batches on ``device``, ``depth`` of them under way [CUDA].

    Each is pinned if it is not, copied and prepared on a side stream; the stream that is current when a batch is asked
    for waits for just that batch. The allocator learns that the tensors are used there, so that nothing is overwritten.
    """
    import torch

    side = torch.cuda.Stream(device)
    under_way: deque[tuple[Any, Any]] = deque()

    def send(batch: Any) -> None:
        with torch.cuda.stream(side):
            there = mapped(batch, lambda tensor: _pinned(tensor).to(device, non_blocking=True))
            done = prepare(there) if prepare else there
            under_way.append((done, side.record_event()))

    def arrived() -> Any:
        batch, event = under_way.popleft()
        current = torch.cuda.current_stream(device)
        current.wait_event(event)
        for tensor in tensors(batch):
            tensor.record_stream(current)
        return batch

    for batch in batches:
        send(batch)
        if len(under_way) >= depth:
            yield arrived()
    while under_way:
        yield arrived()


def _pinned(tensor: Any) -> Any:
    return tensor if tensor.is_cuda or tensor.is_pinned() else tensor.pin_memory()
