"""What the training loop's habits do to the peak."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from outboard import catalog, tracing
from outboard.perf.memory import memory_estimate, memory_levers, required_bytes
from outboard.perf.memory.model import memory_model
from outboard.perf.memory.timeline import never_shrinking
from outboard.tracing.file import load
from outboard.types.job import Job
from outboard.types.trace import CATEGORIES, Affine

MIB = 1 << 20
BATCH = 10
PLACE = catalog.place("rtx-3090")
# Peaks at batch 10: forward ends with weights, activations and output; backward adds gradients.
ROWS = (
    (-1, 6, "weights", 50 * MIB, 0),
    (0, 4, "activations", 0, 10 * MIB),
    (1, 6, "output", 0, 4 * MIB),
    (3, 6, "gradients", 50 * MIB, 0),
    (4, 5, "temporaries", 5 * MIB, 0),
)


@pytest.fixture
def peak_of(trace_of: Callable[..., object], job_of: Callable[..., object]) -> Callable[..., float]:
    trace = trace_of(ROWS, 6, (0, 2, 3, 5))

    def peak(**habits: object) -> float:
        return memory_model(job_of(**habits), trace).value.allocated(np.array([float(BATCH)]))[0] / MIB

    return peak


def test_gradients_released_before_forward(peak_of: Callable[..., float]) -> None:
    assert peak_of(gradients_released="before-forward") == 50 + 100 + 40 + 50


def test_gradients_kept_through_forward_are_gone_when_backward_makes_new_ones(peak_of: Callable[..., float]) -> None:
    assert peak_of(gradients_released="before-backward") == 50 + 100 + 40 + 50


def test_gradients_kept_through_forward_raise_a_peak_at_its_end(
    trace_of: Callable[..., object], job_of: Callable[..., object]
) -> None:
    trace = trace_of((*ROWS, (2, 3, "temporaries", 0, 20 * MIB)), 6, (0, 2, 3, 5))
    batch = np.array([float(BATCH)])
    early = memory_model(job_of(gradients_released="before-forward"), trace).value.allocated(batch)[0]
    late = memory_model(job_of(gradients_released="before-backward"), trace).value.allocated(batch)[0]
    assert early == (50 + 100 + 40 + 200) * MIB
    assert late == early + 50 * MIB


def test_gradients_never_released_are_there_beside_those_just_born(peak_of: Callable[..., float]) -> None:
    assert peak_of(gradients_released="never") == 50 + 100 + 40 + 50 + 50


def test_an_unstated_loop_is_the_greediest_with_the_thriftiest_as_low_end(
    trace_of: Callable[..., object], place_of: Callable[..., object]
) -> None:
    trace, batch = trace_of(ROWS, 6, (0, 2, 3, 5)), np.array([float(BATCH)])
    model = memory_model(Job(workload="hand:made"), trace)
    assert model.value.allocated(batch)[0] / MIB == 50 + 100 + 40 + 50 + 50
    assert model.low.allocated(batch)[0] / MIB == 50 + 100 + 40 + 50
    stated = memory_model(Job(workload="hand:made", gradients_released="never"), trace)
    assert stated.low.allocated(batch)[0] == stated.value.allocated(batch)[0]
    note = memory_estimate(Job(workload="hand:made"), trace, BATCH, place_of()).peak.note
    assert "released before forward" in note


def test_accumulation_holds_old_and_new_gradients(peak_of: Callable[..., float]) -> None:
    assert peak_of(grad_accumulation=2) == 50 + 100 + 40 + 50 + 50


def test_an_output_let_go_is_not_there_in_backward(peak_of: Callable[..., float]) -> None:
    assert peak_of(output_held=False) == 50 + 100 + 50


def test_inputs_copied_while_the_last_step_runs_are_there_twice(peak_of: Callable[..., float]) -> None:
    assert peak_of(input_copy="overlapped") == peak_of() + 10
    assert peak_of(input_type="uint8") == peak_of() + 2.5


def test_levers_name_what_would_save(
    trace_of: Callable[..., object], job_of: Callable[..., object], place_of: Callable[..., object]
) -> None:
    trace = trace_of((*ROWS, (2, 3, "temporaries", 0, 20 * MIB)), 6, (0, 2, 3, 5))
    job = job_of(gradients_released="before-backward", input_copy="overlapped")
    levers = memory_levers(job, trace, BATCH, place_of())
    saved = {lever.job.gradients_released: lever.saved for lever in levers if lever.name == "gradients_released"}
    copies = next(lever.saved for lever in levers if lever.name == "input_copy")
    assert saved["in-backward"] >= saved["before-forward"] > copies > 0
    assert memory_levers(job_of(task="infer"), trace, BATCH, place_of()) == ()


def test_sizes_that_fall_with_the_batch_are_held(trace_of: Callable[..., object]) -> None:
    table = trace_of([(0, 1, "activations", 100, -10), (0, 1, "activations", 3, 4)], 1, (0, 1, 1, 1)).tensors
    constant, per_batch = never_shrinking(table)
    assert constant.tolist() == [90, 3]
    assert per_batch.tolist() == [0, 4]


def test_stepping_within_backward_needs_no_gradients_at_all() -> None:
    """What optimizers in backward are for: neither all gradients nor temporaries for all of them are ever there."""
    job, trace = Job(workload="zoo:gpt2", precision="fp16"), tracing.trace(Job(workload="zoo:gpt2", precision="fp16"))
    batch = np.array([1.0])

    def peak(**habits: object) -> float:
        return float(memory_model(job.model_copy(update=habits), trace).value.allocated(batch)[0])

    gradients = float(trace.parameters.bytes.sum())
    saved = peak(gradients_released="never") - peak(gradients_released="in-backward")
    assert 0.5 * gradients < saved <= 2.1 * gradients


def test_segments_that_can_be_joined_lose_less() -> None:
    job, trace = Job(workload="zoo:resnet50"), tracing.trace(Job(workload="zoo:resnet50"))
    default, joined = (
        required_bytes(job.model_copy(update={"allocator": name}), trace, np.array([64.0]), [PLACE])
        for name in ("default", "expandable")
    )
    assert joined.allocated.value[0, 0] == default.allocated.value[0, 0]
    assert joined.reserved.value[0, 0] < default.reserved.value[0, 0]


def test_a_cache_emptied_after_each_step_holds_little_beyond_what_one_step_needs() -> None:
    """Of a loop whose gradients go before forward: the second step finds no segments of the first."""
    job = Job(workload="hf:llama-3.2-1b", precision="bf16", gradients_released="before-forward")
    trace = load(Path(__file__).parent / "traces" / "llama-3_2-1b-train-bf16-2048.trace")
    default, emptied = (
        required_bytes(job.model_copy(update={"allocator": name}), trace, np.array([2.0]), [PLACE])
        for name in ("default", "emptied")
    )
    assert emptied.reserved.value[0, 0] < default.reserved.value[0, 0]
    assert emptied.allocated.value[0, 0] <= emptied.reserved.value[0, 0] < 1.05 * emptied.allocated.value[0, 0]


def test_evaluation_is_a_peak_of_its_own() -> None:
    """Between steps weights and states are there, and a forward pass in the batches of evaluation."""
    job = Job(workload="zoo:resnet50", gradients_released="before-forward", evaluate_every=100)
    bare = tracing.trace(Job(workload="zoo:resnet50"))
    forward = Affine(np.array([1e6]), np.array([10e6]))
    trace = replace(bare, evaluation=forward)
    resident = bare.tensors.birth < 0
    resident &= bare.tensors.category != CATEGORIES.index("inputs")
    states = float(bare.tensors.size.constant[resident].sum())

    def peak(batch: float, **habits: object) -> float:
        model = memory_model(job.model_copy(update=habits), trace)
        return float(model.value.allocated(np.array([batch]))[0])

    without = peak(1.0, evaluate_every=None)
    assert peak(1.0, evaluate_batch=1) == without  # a training step needs more
    large = peak(1.0, evaluate_batch=400)
    assert large == pytest.approx(states + 1e6 + 400 * 10e6, rel=0.01)
    kept = peak(1.0, evaluate_batch=400, gradients_released="never")
    assert kept - large == pytest.approx(float(bare.parameters.bytes.sum()), rel=0.01)
    assert peak(400.0, evaluate_batch=1) == peak(400.0, evaluate_every=None)
