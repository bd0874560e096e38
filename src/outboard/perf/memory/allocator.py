"""A model of PyTorch's CUDA caching allocator: what a sequence of allocations makes it hold.

The rules are those of ``c10/cuda/CUDACachingAllocator.cpp`` with its default configuration and a single stream:

* a request is rounded up to 512 B;
* requests up to 1 MiB are served from a small pool that grows by segments of 2 MiB, larger ones from a large pool that
  grows by 20 MiB for requests under 10 MiB and by the request rounded up to 2 MiB otherwise;
* the smallest free block that is large enough is taken; what it has to spare is split off when at least 512 B (small
  pool) or more than 1 MiB (large pool), else it counts as allocated;
* a freed block merges with its free neighbours in the segment;
* when the device has no room for a new segment, the segments that are wholly free are given back and it is tried again.

Addresses are unknown without a device: segments are taken to lie in the order in which they were made, which only
decides between free blocks of equal size.
"""

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass

MIN_BLOCK = 512
SMALL_REQUEST = 1 << 20
SMALL_SEGMENT = 2 << 20
LARGE_SEGMENT = 20 << 20
OWN_SEGMENT = 10 << 20
LARGE_ROUNDING = 2 << 20
_ADDRESS_BITS = 50
# The event at which a loop calls torch.cuda.empty_cache().
EMPTY = -(1 << 62)


@dataclass(frozen=True, slots=True)
class AllocatorResult:
    """What the allocator held over a sequence of events. All in bytes.

    ``allocated_peak`` and ``reserved_peak`` are what ``torch.cuda.max_memory_allocated`` and ``max_memory_reserved``
    report. ``unreleasable_peak`` is the most that segments with a block in use ever took together: what must really be
    there, even if every free segment were given back at once. ``completed`` is the number of events served; fewer than
    given means that the device was full even after giving back what could be.
    """

    allocated_peak: int
    reserved_peak: int
    unreleasable_peak: int
    allocated_end: int
    reserved_end: int
    retries: int
    completed: int


class OutOfCapacityError(Exception):
    """The device has no room for a segment even after the free ones were given back."""


class _Segment:
    __slots__ = ("live", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.live = 0  # blocks in use


class Block:
    """A piece of a segment, in use or free; ``before`` and ``after`` are its neighbours in the segment."""

    __slots__ = ("address", "after", "before", "free", "pool", "segment", "size")

    def __init__(self, size: int, address: int, segment: _Segment, pool: "_Pool") -> None:
        self.size = size
        self.address = address
        self.segment = segment
        self.pool = pool
        self.before: Block | None = None
        self.after: Block | None = None
        self.free = False


class _Pool:
    """Free blocks ordered by size, then address, so that best fit is one bisection."""

    __slots__ = ("blocks", "keys", "split_above")

    def __init__(self, split_above: int) -> None:
        self.split_above = split_above  # the smallest remainder that is not split off
        self.keys: list[int] = []
        self.blocks: dict[int, Block] = {}

    def add(self, block: Block) -> None:
        key = block.size << _ADDRESS_BITS | block.address
        insort(self.keys, key)
        self.blocks[key] = block

    def remove(self, block: Block) -> None:
        key = block.size << _ADDRESS_BITS | block.address
        del self.keys[bisect_left(self.keys, key)]
        del self.blocks[key]

    def take_best_fit(self, size: int) -> Block | None:
        at = bisect_left(self.keys, size << _ADDRESS_BITS)
        return self.blocks.pop(self.keys.pop(at)) if at < len(self.keys) else None


class CachingAllocator:
    """The allocator itself. ``capacity`` [B] bounds what it can reserve; None is a device without end."""

    def __init__(self, capacity: float | None = None) -> None:
        self.capacity = float("inf") if capacity is None else capacity
        self.allocated = self.reserved = self.unreleasable = 0
        self.allocated_peak = self.reserved_peak = self.unreleasable_peak = 0
        self.retries = 0
        self._small = _Pool(split_above=MIN_BLOCK - 1)
        self._large = _Pool(split_above=SMALL_REQUEST)
        self._next_address = 0

    def allocate(self, size: int) -> Block:
        """Serve a request of ``size`` [B]. Raises :class:`OutOfCapacityError`."""
        size = max(-(-size // MIN_BLOCK), 1) * MIN_BLOCK
        pool = self._small if size <= SMALL_REQUEST else self._large
        block = pool.take_best_fit(size)
        if block is None:
            block = self._new_segment(size, pool)
        if block.size - size > pool.split_above:
            self._split(block, size)
        block.free = False
        segment = block.segment
        if segment.live == 0:
            self.unreleasable += segment.size
            if self.unreleasable > self.unreleasable_peak:
                self.unreleasable_peak = self.unreleasable
        segment.live += 1
        self.allocated += block.size
        if self.allocated > self.allocated_peak:
            self.allocated_peak = self.allocated
        return block

    def release(self, block: Block) -> None:
        """Take back a block that :meth:`allocate` gave."""
        pool, segment = block.pool, block.segment
        self.allocated -= block.size
        segment.live -= 1
        if segment.live == 0:
            self.unreleasable -= segment.size
        after = block.after
        if after is not None and after.free:
            pool.remove(after)
            block.size += after.size
            block.after = after.after
            if after.after is not None:
                after.after.before = block
        before = block.before
        if before is not None and before.free:
            pool.remove(before)
            before.size += block.size
            before.after = block.after
            if block.after is not None:
                block.after.before = before
            block = before
        block.free = True
        pool.add(block)

    def empty_cache(self) -> None:
        """Give back every segment without a block in use."""
        for pool in (self._small, self._large):
            for block in [b for b in pool.blocks.values() if b.segment.live == 0]:
                pool.remove(block)
                self.reserved -= block.size

    def _split(self, block: Block, size: int) -> None:
        rest = Block(block.size - size, block.address + size, block.segment, block.pool)
        rest.free = True
        rest.before, rest.after = block, block.after
        if rest.after is not None:
            rest.after.before = rest
        block.after = rest
        block.size = size
        block.pool.add(rest)

    def _new_segment(self, size: int, pool: _Pool) -> Block:
        size = segment_size(size)
        if self.reserved + size > self.capacity:
            self.retries += 1
            self.empty_cache()
            if self.reserved + size > self.capacity:
                raise OutOfCapacityError
        self.reserved += size
        if self.reserved > self.reserved_peak:
            self.reserved_peak = self.reserved
        block = Block(size, self._next_address, _Segment(size), pool)
        self._next_address += size
        return block


def segment_size(size: int) -> int:
    """Bytes asked of the device for a request of ``size`` [B] that no free block can serve.

    >>> segment_size(512) >> 20, segment_size(3 << 20) >> 20, segment_size(11 << 20) >> 20
    (2, 20, 12)
    """
    if size <= SMALL_REQUEST:
        return SMALL_SEGMENT
    if size < OWN_SEGMENT:
        return LARGE_SEGMENT
    return -(-size // LARGE_ROUNDING) * LARGE_ROUNDING


def simulate(events: Sequence[int], sizes: Sequence[int], capacity: float | None = None) -> AllocatorResult:
    """Run ``events`` through a fresh allocator.

    An event ``i >= 0`` allocates ``sizes[i]`` [B] under the name ``i``; ``~i`` (negative) frees it; EMPTY gives back
    what is free. A request of zero bytes takes nothing, as in the framework. Stops at the first event that the device
    has no room for.
    """
    allocator = CachingAllocator(capacity)
    allocate, release = allocator.allocate, allocator.release
    held: dict[int, Block] = {}
    completed = 0
    try:
        for event in events:
            if event >= 0:
                size = sizes[event]
                if size > 0:
                    held[event] = allocate(size)
            elif event == EMPTY:
                allocator.empty_cache()
            else:
                block = held.pop(~event, None)
                if block is not None:
                    release(block)
            completed += 1
    except OutOfCapacityError:
        pass
    return AllocatorResult(
        allocated_peak=allocator.allocated_peak,
        reserved_peak=allocator.reserved_peak,
        unreleasable_peak=allocator.unreleasable_peak,
        allocated_end=allocator.allocated,
        reserved_end=allocator.reserved,
        retries=allocator.retries,
        completed=completed,
    )
