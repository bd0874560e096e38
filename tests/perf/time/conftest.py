"""Small devices, links and traces made by hand, so that the laws are tested without catalogue or torch."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Device, Link, Place
from outboard.types.trace import (
    DTYPES,
    KINDS,
    PHASES,
    Affine,
    OperatorTable,
    ParameterTable,
    TensorTable,
    Trace,
    TraceInfo,
)


def fact(value: float, unit: str = "1", **band: float) -> Fact:
    return Fact(value, unit, "test", Evidence.DATASHEET, **band)


def make_device(**changes: Any) -> Device:
    base = Device(
        id="test-gpu",
        name="Test GPU",
        vendor="nvidia",
        architecture="ampere-ga10x",
        kind="geforce",
        memory=fact(24e9, "B"),
        memory_bandwidth=fact(936e9, "B/s"),
        units=fact(82),
        clock=fact(1.695e9, "Hz"),
        l2=fact(6e6, "B"),
        tdp=fact(350, "W"),
        matmul={"fp16": fact(71e12), "bf16": fact(71e12), "tf32": fact(35.6e12)},
        vector={"fp32": fact(35.6e12), "fp16": fact(35.6e12), "bf16": fact(35.6e12), "fp64": fact(0.556e12)},
        pcie_generation=fact(4),
        pcie_lanes=fact(16),
    )
    return replace(base, **changes)


def make_link(h2d: float = 12e9, latency: float = 1e-5) -> Link:
    rate = fact(h2d, "B/s", low=0.9 * h2d, high=1.05 * h2d)
    return Link("test-link", "Test link", "pcie", rate, rate, None, fact(latency, "s"))


def make_place(device: Device | None = None, link: Link | None = None, count: int = 1) -> Place:
    return Place("test-gpu", device or make_device(), count, link or make_link())


# kind, phase, count, MFLOP, kB read, kB written per sample, m per sample, n, k
ROWS: tuple[tuple[str, str, int, float, float, float, float, int, int], ...] = (
    ("conv", "forward", 16, 230.0, 400.0, 400.0, 3136.0, 64, 576),
    ("conv", "forward", 16, 200.0, 200.0, 800.0, 784.0, 512, 128),
    ("norm", "forward", 53, 0.2, 800.0, 800.0, 256.0, 1, 1),
    ("elementwise", "forward", 49, 0.1, 400.0, 400.0, 200000.0, 1, 1),
    ("matmul", "forward", 1, 4.0, 4.0, 2.0, 1.0, 1000, 2048),
    ("depthwise", "forward", 4, 2.0, 200.0, 200.0, 3136.0, 1, 9),
    ("attention", "forward", 4, 60.0, 900.0, 300.0, 197.0, 197, 64),
    ("conv_dgrad", "backward", 16, 230.0, 400.0, 400.0, 3136.0, 64, 576),
    ("conv_wgrad", "backward", 16, 230.0, 800.0, 1.0, 3136.0, 64, 576),
    ("norm_backward", "backward", 53, 0.3, 1600.0, 800.0, 256.0, 1, 1),
    ("optimizer", "optimizer", 3, 0.0, 0.0, 0.0, 0.0, 1, 1),
)


def affine(constant: list[float], per_batch: list[float]) -> Affine:
    return Affine(np.array(constant, dtype=np.float64), np.array(per_batch, dtype=np.float64))


def make_trace(task: str = "train", repeats: int = 1) -> Trace:
    rows = [row for row in ROWS if task != "infer" or row[1] == "forward"] * repeats
    size = len(rows)
    zero, one = [0.0] * size, [1.0] * size
    weights = [1e8 if row[0] == "optimizer" else 1e4 for row in rows]
    attention = [row[0] == "attention" for row in rows]
    operators = OperatorTable(
        name=tuple(f"test.{row[0]}" for row in rows),
        kind=np.array([KINDS.index(row[0]) for row in rows]),
        phase=np.array([PHASES.index(row[1]) for row in rows]),
        dtype=np.array([DTYPES.index("fp32" if row[0] == "optimizer" else "fp16") for row in rows]),
        count=np.array([float(row[2]) for row in rows]),
        flops=affine(zero, [row[3] * 1e6 for row in rows]),
        read=affine(weights, [row[4] * 1e3 for row in rows]),
        written=affine(zero, [row[5] * 1e3 for row in rows]),
        m=affine(
            [row[6] if here else 0.0 for row, here in zip(rows, attention, strict=True)],
            [0.0 if here else row[6] for row, here in zip(rows, attention, strict=True)],
        ),
        n=affine([float(row[7]) for row in rows], zero),
        k=affine([float(row[8]) for row in rows], zero),
        g=affine([0.0 if here else 1.0 for here in attention], [12.0 if here else 0.0 for here in attention]),
        taps=np.array([9 if row[8] == 576 else 1 for row in rows]),
        stride=np.ones(size, dtype=np.int64),
        kernels=np.array(one),
        fused_read=affine(weights, [row[4] * 1e3 * (row[0] != "elementwise") for row in rows]),
        fused_written=affine(zero, [row[5] * 1e3 * (row[0] != "elementwise") for row in rows]),
        fused_kernels=np.array([float(row[0] != "elementwise") for row in rows]),
    )
    integers = np.zeros(0, dtype=np.int64)
    return Trace(
        info=TraceInfo("test:net", task, "amp-fp16", "sgd", 224, None, "nchw", "sdpa", False, "images", None, (8, 16)),
        operators=operators,
        tensors=TensorTable(integers, integers, integers, affine([], []), 0, (0, 0, 0, 0)),
        parameters=ParameterTable(np.array([1000]), np.array([25000]), np.array([1]), np.array([4]), np.array([True])),
        input_bytes=affine([0.0, 0.0], [602112.0, 8.0]),
        input_elements=affine([0.0, 0.0], [150528.0, 1.0]),
    )


@pytest.fixture
def device() -> Callable[..., Device]:
    return make_device


@pytest.fixture
def link() -> Callable[..., Link]:
    return make_link


@pytest.fixture
def place() -> Callable[..., Place]:
    return make_place


@pytest.fixture
def trace() -> Callable[..., Trace]:
    return make_trace
