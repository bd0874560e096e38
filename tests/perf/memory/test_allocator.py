"""The allocator model against sequences worked out by hand, and its laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outboard.perf.memory.allocator import EMPTY, CachingAllocator, OutOfCapacityError, segment_size, simulate

KIB, MIB = 1 << 10, 1 << 20


def test_requests_are_rounded_to_512_bytes() -> None:
    allocator = CachingAllocator()
    assert [allocator.allocate(size).size for size in (1, 512, 513, 1024)] == [512, 512, 1024, 1024]
    assert allocator.allocated == 3072
    assert allocator.reserved == 2 * MIB


def test_small_requests_share_segments_of_two_mebibytes() -> None:
    result = simulate([0, 1, 2], [MIB, MIB, 512])
    assert result.allocated_peak == 2 * MIB + 512
    assert result.reserved_peak == 4 * MIB


def test_one_byte_more_than_a_mebibyte_goes_to_the_large_pool() -> None:
    result = simulate([0, 1], [MIB, MIB + 1])
    assert result.reserved_peak == 2 * MIB + 20 * MIB


@pytest.mark.parametrize(
    ("size", "segment"),
    [(512, 2), (MIB, 2), (MIB + 512, 20), (10 * MIB - 512, 20), (10 * MIB, 10), (10 * MIB + 512, 12), (33 * MIB, 34)],
)
def test_segment_sizes(size: int, segment: int) -> None:
    assert segment_size(size) == segment * MIB


def test_medium_requests_share_a_segment_of_twenty_mebibytes() -> None:
    result = simulate([0, 1, 2], [6 * MIB, 6 * MIB, 6 * MIB])
    assert result.reserved_peak == 20 * MIB
    assert result.allocated_peak == 18 * MIB


def test_a_remainder_of_up_to_a_mebibyte_is_not_split_off_and_counts_as_allocated() -> None:
    assert simulate([0], [11 * MIB]).allocated_peak == 12 * MIB
    assert simulate([0], [11 * MIB - 512]).allocated_peak == 11 * MIB - 512
    # 20 MiB less 18.5 MiB leaves more than a mebibyte, which is split off.
    assert simulate([0, 1, ~0, 2], [20 * MIB, 20 * MIB, 18 * MIB + MIB // 2]).allocated_end == 38 * MIB + MIB // 2


def test_the_smallest_block_that_fits_is_taken() -> None:
    # Free blocks of 40 and 24 MiB, each between live ones; 23.5 MiB fits the second better.
    sizes = [40 * MIB, 24 * MIB, 23 * MIB + MIB // 2, 40 * MIB]
    result = simulate([0, 1, ~0, ~1, 2, 3], sizes)
    assert result.reserved_peak == 64 * MIB


def test_freed_neighbours_merge() -> None:
    sizes = [6 * MIB, 6 * MIB, 6 * MIB, 18 * MIB]
    assert simulate([0, 1, 2, ~0, ~2, ~1, 3], sizes).reserved_peak == 20 * MIB
    # Without the middle one freed there is no hole of 18 MiB.
    assert simulate([0, 1, 2, ~0, ~2, 3], sizes).reserved_peak == 38 * MIB


def test_a_segment_partly_in_use_cannot_be_given_back() -> None:
    sizes = [2 * MIB, 6 * MIB, 100 * MIB]
    result = simulate([0, 1, ~0, 2, ~1], sizes)
    assert result.unreleasable_peak == 120 * MIB
    assert result.reserved_peak == 120 * MIB
    freed = simulate([0, ~0, 2], sizes)
    assert (freed.reserved_peak, freed.unreleasable_peak) == (120 * MIB, 100 * MIB)


def test_a_full_device_gives_back_free_segments_and_tries_again() -> None:
    sizes = [60 * MIB, 80 * MIB]
    result = simulate([0, ~0, 1], sizes, capacity=100 * MIB)
    assert (result.completed, result.retries, result.reserved_end) == (3, 1, 80 * MIB)


def test_a_full_device_stops_at_the_event_that_does_not_fit() -> None:
    result = simulate([0, 1, ~0], [60 * MIB, 80 * MIB], capacity=100 * MIB)
    assert result.completed == 1
    with pytest.raises(OutOfCapacityError):
        CachingAllocator(capacity=MIB).allocate(512)


def test_a_request_of_nothing_takes_nothing() -> None:
    assert simulate([0, ~0], [0]).reserved_peak == 0


@st.composite
def lives(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Events and sizes of up to 40 storages, all freed at the end."""
    sizes = draw(st.lists(st.integers(1, 64 * MIB) | st.integers(1, 2 * MIB), min_size=1, max_size=40))
    keys = draw(st.lists(st.floats(0, 1), min_size=2 * len(sizes), max_size=2 * len(sizes)))
    events: list[tuple[float, int]] = []
    for name in range(len(sizes)):
        first, second = sorted(keys[2 * name : 2 * name + 2])
        events += [(first, name), (second, ~name)]
    events.sort(key=lambda event: (event[0], event[1] < 0))
    return [name for _time, name in events], sizes


def live_peak(events: list[int], sizes: list[int]) -> int:
    change = [sizes[event] if event >= 0 else -sizes[~event] for event in events]
    return int(np.cumsum(change).max())


@settings(max_examples=40)
@given(lives())
def test_reserved_covers_allocated_covers_live(case: tuple[list[int], list[int]]) -> None:
    events, sizes = case
    result = simulate(events, sizes)
    assert result.reserved_peak >= result.unreleasable_peak >= result.allocated_peak >= live_peak(events, sizes)


@settings(max_examples=40)
@given(lives())
def test_freeing_everything_returns_to_zero_and_merges_everything(case: tuple[list[int], list[int]]) -> None:
    events, sizes = case
    allocator = CachingAllocator()
    held = {}
    for event in events:
        if event >= 0:
            held[event] = allocator.allocate(sizes[event])
        else:
            allocator.release(held.pop(~event))
    assert allocator.allocated == 0
    assert allocator.unreleasable == 0
    allocator.empty_cache()
    assert allocator.reserved == 0


@settings(max_examples=40)
@given(lives())
def test_a_second_round_needs_no_more_than_the_first_when_nothing_overlaps(case: tuple[list[int], list[int]]) -> None:
    _events, sizes = case
    one_by_one = [event for name in range(len(sizes)) for event in (name, ~name)]
    once, twice = simulate(one_by_one, sizes), simulate(one_by_one * 2, sizes)
    assert twice.reserved_peak == once.reserved_peak


@settings(max_examples=40)
@given(lives())
def test_names_do_not_matter_only_the_order_does(case: tuple[list[int], list[int]]) -> None:
    events, sizes = case
    last = len(sizes) - 1
    renamed = [last - event if event >= 0 else ~(last - ~event) for event in events]
    assert simulate(renamed, sizes[::-1]) == simulate(events, sizes)


@settings(max_examples=40)
@given(lives())
def test_a_device_as_large_as_what_was_reserved_never_retries(case: tuple[list[int], list[int]]) -> None:
    events, sizes = case
    free = simulate(events, sizes)
    bounded = simulate(events, sizes, capacity=free.reserved_peak)
    assert bounded == free


@settings(max_examples=40)
@given(lives())
def test_a_smaller_device_serves_no_more_than_it_has(case: tuple[list[int], list[int]]) -> None:
    events, sizes = case
    free = simulate(events, sizes)
    bounded = simulate(events, sizes, capacity=free.reserved_peak // 2)
    assert bounded.reserved_peak <= free.reserved_peak // 2


def test_an_emptied_cache_gives_back_what_no_block_uses() -> None:
    """A step of one large tensor, then one of a larger: with the cache kept between them both segments are there."""
    sizes = [40 * MIB, 60 * MIB]
    kept = simulate([0, ~0, 1, ~1], sizes)
    emptied = simulate([0, ~0, EMPTY, 1, ~1], sizes)
    assert (kept.reserved_peak, emptied.reserved_peak) == (100 * MIB, 60 * MIB)
    assert emptied.completed == 5 and emptied.reserved_end == 60 * MIB
