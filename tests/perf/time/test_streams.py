"""Operators that move memory: what is read twice, and what leaves units idle."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from outboard.perf.time import coefficients
from outboard.perf.time.columns import DTYPE, KIND, Columns
from outboard.perf.time.places import DeviceArrays
from outboard.perf.time.streams import stream_seconds

C = coefficients.load()
SIZE = 4e8  # bytes read, and as many written: far more than any cache holds


@pytest.fixture
def devices(device: Callable[..., Any]) -> DeviceArrays:
    return DeviceArrays.of([device()])


def stream(kind: str, rows: float, length: float, dtype: str = "fp32", **flags: float) -> Columns:
    one, row = np.array([[1.0]]), np.array([1.0])
    zero = dict.fromkeys(("fused", "converted", "batch_norm", "last", "mixed", "old", "missing"), 0.0 * row)
    return Columns(
        kind=np.array([KIND[kind]]),
        phase=np.array([0]),
        dtype=np.array([DTYPE[dtype]]),
        count=row,
        kernels=row,
        taps=row,
        stride=row,
        **{**zero, **{name: row * value for name, value in flags.items()}},
        image=row,
        flops=one,
        read=one * SIZE,
        written=one * SIZE,
        m=one * rows,
        n=one * length,
        k=one,
        g=one,
    )


def seconds(cols: Columns, devices: DeviceArrays) -> float:
    return float(stream_seconds(cols, devices, C)[0, 0, 0])


@pytest.mark.parametrize(("kind", "short", "long"), [("norm", 1024, 4096), ("softmax", 1024, 1025)])
def test_rows_that_do_not_stay_on_chip_are_read_twice(
    kind: str, short: float, long: float, devices: DeviceArrays
) -> None:
    once, twice = (seconds(stream(kind, 1e5, length), devices) for length in (short, long))
    assert twice == pytest.approx(1.5 * once, rel=0.02)


def test_a_batch_norm_of_few_channels_leaves_units_idle(devices: DeviceArrays) -> None:
    few, many = (seconds(stream("norm", channels, 1e6, batch_norm=1.0), devices) for channels in (8, 512))
    assert few > 2 * many
    last = seconds(stream("norm", 8, 1e6, batch_norm=1.0, last=1.0), devices)
    assert last == pytest.approx(many, rel=0.01)


def test_a_compiler_leaves_less_of_copies_than_of_the_rest(devices: DeviceArrays) -> None:
    def left(kind: str) -> float:
        return seconds(stream(kind, 1, 1, fused=1.0), devices) / seconds(stream(kind, 1, 1), devices)

    assert left("copy") < left("elementwise") <= 1.0
