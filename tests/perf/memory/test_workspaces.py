"""What operators, libraries, drivers and screens take."""

from collections.abc import Callable

import pytest

from outboard.perf.memory import coefficients
from outboard.perf.memory.coefficients import coefficient
from outboard.perf.memory.required import place_memory
from outboard.perf.memory.workspaces import context, high, low, multiplying_threads, transients, value

MIB = 1 << 20


def test_every_coefficient_can_be_read() -> None:
    for group in ("context", "blas", "convolution", "attention", "display", "usable", "buckets", "residual"):
        assert coefficients._tables()[group]


@pytest.mark.parametrize(
    ("architecture", "entry"),
    [("ampere-ga10x", "ampere"), ("ampere-ga100", "ampere-ga100"), ("Hopper", "hopper"), ("never-heard-of", "default")],
)
def test_architectures_match_by_the_longest_beginning(architecture: str, entry: str) -> None:
    assert coefficient("context", architecture) == coefficients._tables()["context"][entry]


def test_a_context_is_larger_on_larger_chips(place_of: Callable[..., object]) -> None:
    sizes = [context(place_of(architecture=name).device).value for name in ("turing", "ampere-ga10x", "hopper")]
    assert sizes == sorted(sizes)


CONVOLUTION = ("conv", "forward", "fp16", 4 * MIB, 6 * MIB, 0, 8 * MIB)
ROWS = (
    (-1, 4, "weights", 4 * MIB, 0),
    (0, 4, "activations", 0, 8 * MIB),
    (1, 4, "activations", 0, 3 * MIB),
)


def test_a_convolution_is_found_by_what_it_writes(
    trace_of: Callable[..., object], job_of: Callable[..., object]
) -> None:
    trace = trace_of(ROWS, 4, (0, 4, 4, 4), operators=[CONVOLUTION])
    found = transients(job_of(memory_format="nchw"), trace, value)
    share = coefficient("convolution", "transposed").value
    assert found.position.tolist() == [0]
    assert found.constant.tolist() == [share * 4 * MIB]
    assert found.per_batch.tolist() == [share * 14 * MIB]
    assert len(transients(job_of(), trace, low).position) == 0


def test_layout_and_bound_change_a_convolutions_workspace(
    trace_of: Callable[..., object], job_of: Callable[..., object]
) -> None:
    trace = trace_of(ROWS, 4, (0, 4, 4, 4), operators=[CONVOLUTION])
    nchw, nhwc = (transients(job_of(memory_format=name), trace, value).per_batch[0] for name in ("nchw", "nhwc"))
    assert nhwc < nchw < transients(job_of(), trace, high).per_batch[0]


def test_fused_attention_keeps_the_query_gradient_in_fp32(
    trace_of: Callable[..., object], job_of: Callable[..., object]
) -> None:
    rows = ((0, 2, "activations", 0, MIB), *((1, 3, "temporaries", 0, 2 * MIB),) * 3)
    operators = [("attention_backward", "backward", "bf16", 0, 8 * MIB, 0, 6 * MIB)]
    found = transients(job_of(), trace_of(rows, 4, (0, 1, 1, 4), operators=operators), value)
    assert found.position.tolist() == [1]
    assert found.per_batch.tolist() == pytest.approx([4 * MIB])


def test_each_thread_that_multiplies_has_a_workspace(trace_of: Callable[..., object]) -> None:
    forward = ("matmul", "forward", "fp32", 1, 1, 1, 1)
    backward = ("matmul", "backward", "fp32", 1, 1, 1, 1)
    assert multiplying_threads(trace_of()) == 0
    assert multiplying_threads(trace_of(operators=[forward])) == 1
    assert multiplying_threads(trace_of(operators=[forward, backward])) == 2


def test_data_parallel_training_keeps_a_copy_of_the_gradients(
    trace_of: Callable[..., object], place_of: Callable[..., object], job_of: Callable[..., object]
) -> None:
    one, two = place_memory(job_of(), trace_of(), [place_of(), place_of(count=2)]).inside.value
    assert two - one == 10 * MIB * 4
    infer = place_memory(job_of(), trace_of(task="infer"), [place_of(count=2)])
    assert infer.inside.value[0] == 0


def test_a_screen_takes_its_share_of_a_consumer_card(
    place_of: Callable[..., object], trace_of: Callable[..., object], job_of: Callable[..., object]
) -> None:
    geforce, server = place_memory(job_of(), trace_of(), [place_of(), place_of(kind="datacentre")]).available
    assert server == 24e9
    assert geforce == 24e9 - coefficient("display", "geforce").value
