"""Speed, with room for a busy machine: a sweep of the whole catalogue must stay interactive."""

import time
from collections.abc import Callable

import numpy as np

from outboard.perf.memory import memory_estimate, required_bytes, safe_max_batch
from outboard.perf.memory.allocator import simulate

MIB = 1 << 20
LAYERS = 400


def layered() -> list[tuple[int, int, str, float, float]]:
    """A chain of layers: forward keeps two activations each, backward frees them and makes gradients."""
    steps = 4 * LAYERS
    rows: list[tuple[int, int, str, float, float]] = []
    for layer in range(LAYERS):
        back = steps - 2 * layer - 1
        width = 1 + layer % 7
        rows += [
            (-1, steps, "weights", width * 90_000, 0),
            (-1, steps, "optimizer", width * 180_000, 0),
            (2 * layer, back, "activations", 0, width * 100_000),
            (2 * layer + 1, back, "activations", 0, width * 50_000),
            (back - 1, min(back + 2, steps), "temporaries", 0, width * 100_000),
            (back - 1, steps, "gradients", width * 90_000, 0),
        ]
    rows.sort(key=lambda row: row[0])
    return rows


def test_three_hundred_places_and_twelve_batches(
    trace_of: Callable[..., object], job_of: Callable[..., object], place_of: Callable[..., object]
) -> None:
    places = [place_of(1e9 * (1 + i % 80), architecture=("ada", "hopper")[i % 2]) for i in range(300)]
    batches = np.array([1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 512], dtype=np.float64)
    times: list[float] = []
    for _ in range(3):
        trace = trace_of(layered(), 4 * LAYERS, (0, 2 * LAYERS - 1, 2 * LAYERS, 4 * LAYERS))
        began = time.perf_counter()
        required_bytes(job_of(), trace, batches, places)
        safe_max_batch(job_of(), trace, places)
        times.append(time.perf_counter() - began)
    assert min(times) < 0.6  # measured: 0.05 s


def test_an_estimate_of_a_known_job_is_cheap(
    trace_of: Callable[..., object], job_of: Callable[..., object], place_of: Callable[..., object]
) -> None:
    trace = trace_of(layered(), 4 * LAYERS, (0, 2 * LAYERS - 1, 2 * LAYERS, 4 * LAYERS))
    memory_estimate(job_of(), trace, 32, place_of())
    began = time.perf_counter()
    memory_estimate(job_of(), trace, 64, place_of())
    assert time.perf_counter() - began < 0.05


def test_the_allocator_takes_microseconds_per_event() -> None:
    sizes = [(1 + i % 13) * 700_000 for i in range(1500)]
    events = [*range(1500), *(~i for i in reversed(range(1500)))]
    began = time.perf_counter()
    simulate(events, sizes)
    assert time.perf_counter() - began < 0.15  # measured: 0.008 s
