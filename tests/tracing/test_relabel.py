"""Precisions that are exact relabellings of each other."""

from collections.abc import Callable

import pytest

from outboard.tracing.relabel import relabel, twin
from outboard.types.trace import DTYPES, KINDS, Trace


def test_relabelling_back_is_the_identity(trace: Trace, same: Callable[[object, object], bool]) -> None:
    assert same(relabel(relabel(trace, "tf32"), "fp32"), trace)
    assert relabel(trace, "fp32") is trace


def test_only_products_and_convolutions_compute_in_tf32(trace: Trace) -> None:
    table = relabel(trace, "tf32").operators
    labels = {KINDS[kind]: DTYPES[dtype] for kind, dtype in zip(table.kind, table.dtype, strict=True)}
    assert labels == {"matmul": "tf32", "elementwise": "fp32"}


def test_other_precisions_are_refused(trace: Trace) -> None:
    with pytest.raises(ValueError, match="fp32 is not bf16"):
        relabel(trace, "bf16")
    assert twin("fp64") is None
