"""What a recorded step must look like, whatever the recorder could not tell."""

from collections.abc import Callable

import numpy as np

from outboard.perf.memory.fresh import gradients_where_born, nothing_but_results_outlives_backward
from outboard.perf.memory.model import memory_model
from outboard.types.trace import CATEGORIES

MIB = 1 << 20
GRADIENTS = CATEGORIES.index("gradients")
OUTPUT = CATEGORIES.index("output")
PHASES = (0, 2, 3, 5)
WEIGHTS = (-1, 6, "weights", 50 * MIB, 0)
ACTIVATIONS = (0, 4, "activations", 0, 10 * MIB)
WELL = (WEIGHTS, ACTIVATIONS, (3, 6, "gradients", 50 * MIB, 0), (4, 5, "temporaries", 50 * MIB, 0))
# The same step from a recorder that names gradients when the step is over.
LATE = (
    WEIGHTS,
    (-1, 6, "gradients", 50 * MIB, 0),
    ACTIVATIONS,
    (3, 6, "temporaries", 50 * MIB, 0),
    (4, 6, "temporaries", 50 * MIB, 0),
)


def test_gradients_named_late_are_counted_once(trace_of: Callable[..., object], job_of: Callable[..., object]) -> None:
    batch = np.array([10.0])
    well, late = (memory_model(job_of(), trace_of(rows, 6, PHASES)).value for rows in (WELL, LATE))
    assert late.allocated(batch)[0] == well.allocated(batch)[0] == 200 * MIB
    assert (late.peak(batch).parts == well.peak(batch).parts).all()


def test_the_first_storage_of_its_size_is_the_gradient(trace_of: Callable[..., object]) -> None:
    category, keep = gradients_where_born(trace_of(LATE, 6, PHASES).tensors, GRADIENTS)
    assert keep.tolist() == [True, False, True, True, True]
    assert np.flatnonzero(category == GRADIENTS).tolist() == [1, 3]


def test_a_gradient_without_a_twin_stays(trace_of: Callable[..., object]) -> None:
    rows = (WEIGHTS, (-1, 6, "gradients", 50 * MIB, 0), (3, 6, "temporaries", 40 * MIB, 0))
    category, keep = gradients_where_born(trace_of(rows, 6, PHASES).tensors, GRADIENTS)
    assert keep.all()
    assert np.flatnonzero(category == GRADIENTS).tolist() == [1]


def test_what_vanishes_as_backward_ends_does_not_meet_the_optimizer(trace_of: Callable[..., object]) -> None:
    rows = (
        WEIGHTS,
        (1, 6, "output", 4 * MIB, 0),
        (3, 6, "gradients", 50 * MIB, 0),
        (4, 6, "temporaries", 7, 0),
        (5, 6, "temporaries", 9, 0),
    )
    table = trace_of(rows, 6, PHASES).tensors
    death = nothing_but_results_outlives_backward(table, table.category, (GRADIENTS, OUTPUT))
    assert death.tolist() == [6, 6, 6, 5, 6]
