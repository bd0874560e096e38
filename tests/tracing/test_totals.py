"""A trace in a few numbers."""

import json
from collections.abc import Callable

from outboard import tracing
from outboard.tracing.peak import peak_bytes
from outboard.tracing.raw import RawStep
from outboard.types.trace import Trace

WIDTH, LAYERS = 8, 3


def test_totals_of_a_stack_of_layers(trace: Trace) -> None:
    totals = tracing.describe(trace)
    assert totals["parameters"] == totals["trainable_parameters"] == LAYERS * WIDTH**2
    assert totals["flops"] == {"constant": 0, "per_batch": 2 * LAYERS * 2 * WIDTH**2}
    assert totals["operators"] == 4 * LAYERS
    assert totals["flops_per_phase"]["forward"] == totals["flops_per_phase"]["backward"]
    assert totals["optimizer"] is None
    assert tracing.describe(tracing.attach(trace, "sgd"))["flops_per_phase"]["optimizer"]["constant"] == 2 * 192
    json.dumps(totals)


def test_the_peak_is_a_line_through_large_batches(trace: Trace) -> None:
    line = tracing.describe(trace)["peak_bytes"]
    for batch in (64, 100, 128):
        assert line["constant"] + line["per_batch"] * batch == peak_bytes(trace.tensors, batch)


def test_the_peak_counts_what_lives_at_once(step: Callable[[int], RawStep], trace: Trace) -> None:
    for batch in (1, 5):
        raw = step(batch)
        alive = [
            sum(tensor.size for tensor in raw.tensors if tensor.birth <= position < tensor.death)
            for position in range(len(raw.operators))
        ]
        assert peak_bytes(trace.tensors, batch) == max(alive)


def test_the_summary_says_what_is_not_affine(trace: Trace) -> None:
    from dataclasses import replace

    text = tracing.summary(replace(trace, not_affine=("aten.mm",), not_affine_error=0.25))
    assert "timm:tiny: train, fp32" in text
    assert "up to 25% off: aten.mm" in text
