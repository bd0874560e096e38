"""The replay against an oracle that walks every position."""

from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from outboard.perf.memory.allocator import CachingAllocator
from outboard.perf.memory.events import two_steps
from outboard.perf.memory.replay import replay, rounded
from outboard.perf.memory.timeline import PARTS, Timeline, recorded, steady_state
from outboard.perf.memory.workspaces import transients, value
from outboard.types.trace import CATEGORIES

STEPS = 12
Row = tuple[int, int, str, float, float]


@st.composite
def rows(draw: st.DrawFn) -> list[Row]:
    """Storages with any lives and sizes; gradients are born in backward, which begins at 6."""
    made: list[Row] = []
    for _ in range(draw(st.integers(1, 25))):
        category = draw(st.sampled_from(CATEGORIES))
        first = 6 if category == "gradients" else -1
        birth = draw(st.integers(first, STEPS - 1))
        death = draw(st.integers(birth + 1, STEPS))
        made.append((birth, death, category, draw(st.integers(0, 5000)), draw(st.integers(0, 3000) | st.just(0))))
    return made


def walked(line: Timeline, batch: float) -> float:
    """Largest sum of rounded sizes over all positions."""
    size = rounded(line.constant + line.per_batch * batch)
    positions = range(-1, line.steps)
    return max(float(size[(line.birth <= at) & (line.death > at)].sum()) for at in positions)


@settings(max_examples=40)
@given(rows(), st.sampled_from(["before-forward", "before-backward"]), st.booleans(), st.integers(1, 2))
def test_the_peak_is_that_of_a_walk_over_every_position(
    trace_of: Callable[..., object],
    job_of: Callable[..., object],
    made: list[Row],
    released: str,
    held: bool,
    accumulation: int,
) -> None:
    job = job_of(gradients_released=released, output_held=held, grad_accumulation=accumulation)
    trace = trace_of(made, STEPS, (0, 5, 6, 10))
    line = steady_state(job, recorded(job, trace, transients(job, trace, value)))
    batches = np.array([1.0, 2.0, 7.0, 64.0, 1000.0])
    assert replay(line).allocated(batches).tolist() == [walked(line, batch) for batch in batches]


@settings(max_examples=40)
@given(rows())
def test_the_parts_and_the_rounding_sum_to_the_peak(
    trace_of: Callable[..., object], job_of: Callable[..., object], made: list[Row]
) -> None:
    job, trace = job_of(), trace_of(made, STEPS, (0, 5, 6, 10))
    peak = replay(recorded(job, trace, transients(job, trace, value))).peak(np.array([1.0, 5.0, 300.0]))
    assert peak.parts.shape == (len(PARTS), 3)
    assert np.allclose(peak.parts.sum(axis=0) + peak.rounding, peak.allocated)
    assert (peak.rounding >= -1e-6).all()


def test_the_position_and_the_parts_of_the_peak(trace_of: Callable[..., object], job_of: Callable[..., object]) -> None:
    mib = 1 << 20
    peak = replay(steady_state(job_of(), recorded(job_of(), trace_of(), transients(job_of(), trace_of(), value)))).peak(
        np.array([10.0])
    )
    assert peak.position.tolist() == [4]
    found = {name: size / mib for name, size in zip(PARTS, peak.parts[:, 0], strict=True) if size}
    assert found == {
        "weights": 40,
        "gradients": 40,
        "optimizer": 80,
        "activations": 160,
        "temporaries": 160,
        "inputs": 10,
        "output": 20,
    }


@settings(max_examples=40)
@given(rows(), st.sampled_from(["before-forward", "before-backward"]), st.booleans(), st.integers(1, 2))
def test_two_simulated_steps_reach_the_peak_of_the_steady_state(
    trace_of: Callable[..., object],
    job_of: Callable[..., object],
    made: list[Row],
    released: str,
    held: bool,
    accumulation: int,
) -> None:
    job = job_of(gradients_released=released, output_held=held, grad_accumulation=accumulation)
    trace = trace_of(made, STEPS, (0, 5, 6, 10))
    line = recorded(job, trace, transients(job, trace, value))
    events, tensor = two_steps(job, line)
    sizes = rounded(line.constant + line.per_batch * 3)[tensor]
    level, highest = 0.0, 0.0
    for event in events.tolist():
        level += sizes[event] if event >= 0 else -sizes[~event]
        highest = max(highest, level)
    assert highest == replay(steady_state(job, line)).allocated(np.array([3.0]))[0]


def test_an_empty_timeline_takes_nothing(trace_of: Callable[..., object], job_of: Callable[..., object]) -> None:
    job, trace = job_of(), trace_of([(0, 0, "activations", 1000, 0)], 4, (0, 4, 4, 4))
    found = replay(recorded(job, trace, transients(job, trace, value)))
    assert found.allocated(np.array([1.0, 2.0])).tolist() == [0, 0]
    assert found.peak(np.array([1.0])).parts.sum() == 0


def test_rounding_is_the_allocators() -> None:
    sizes = [0.0, 1.0, 511.9999999, 512.0000001, 513.0]
    allocator = CachingAllocator()
    assert rounded(np.array(sizes[1:])).tolist() == [allocator.allocate(round(size)).size for size in sizes[1:]]
    assert rounded(np.array([0.0])).tolist() == [0.0]
