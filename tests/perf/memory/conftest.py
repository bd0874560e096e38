"""Small hand-made traces, jobs and places."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Device, Link, Place
from outboard.types.job import Job
from outboard.types.trace import (
    CATEGORIES,
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

Row = tuple[int, int, str, float, float]  # birth, death, category, bytes, bytes per sample
Operator = tuple[str, str, str, float, float, float, float]  # kind, phase, dtype, read, per sample, written, per sample

MIB = 1 << 20
# One layer: weights, an activation kept for backward, its gradient, the weights' gradient, an optimizer temporary.
TRAINING: tuple[Row, ...] = (
    (-1, 8, "weights", 40 * MIB, 0),
    (-1, 8, "optimizer", 80 * MIB, 0),
    (-1, 8, "inputs", 0, 1 * MIB),
    (0, 5, "activations", 0, 16 * MIB),
    (1, 8, "output", 0, 2 * MIB),
    (2, 4, "activations", 0, 0.5 * MIB),
    (3, 5, "temporaries", 0, 16 * MIB),
    (4, 8, "gradients", 40 * MIB, 0),
    (6, 7, "temporaries", 40 * MIB, 0),
)


def affine(pairs: Sequence[tuple[float, float]]) -> Affine:
    table = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    return Affine(table[:, 0], table[:, 1])


def tensor_table(rows: Sequence[Row], steps: int, phase_start: tuple[int, int, int, int]) -> TensorTable:
    return TensorTable(
        birth=np.array([row[0] for row in rows], dtype=np.int64),
        death=np.array([row[1] for row in rows], dtype=np.int64),
        category=np.array([CATEGORIES.index(row[2]) for row in rows], dtype=np.int64),
        size=affine([(row[3], row[4]) for row in rows]),
        steps=steps,
        phase_start=phase_start,
    )


def operator_table(rows: Sequence[Operator]) -> OperatorTable:
    count = len(rows)
    ones, zero = np.ones(count), affine([(0, 0)] * count)
    read = affine([(row[3], row[4]) for row in rows])
    written = affine([(row[5], row[6]) for row in rows])
    one = affine([(1, 0)] * count)
    return OperatorTable(
        name=tuple(row[0] for row in rows),
        kind=np.array([KINDS.index(row[0]) for row in rows], dtype=np.int64),
        phase=np.array([PHASES.index(row[1]) for row in rows], dtype=np.int64),
        dtype=np.array([DTYPES.index(row[2]) for row in rows], dtype=np.int64),
        count=ones,
        flops=zero,
        read=read,
        written=written,
        m=one,
        n=one,
        k=one,
        g=one,
        taps=np.ones(count, dtype=np.int64),
        stride=np.ones(count, dtype=np.int64),
        kernels=ones,
        fused_read=read,
        fused_written=written,
        fused_kernels=ones,
    )


def make_trace(
    rows: Sequence[Row] = TRAINING,
    steps: int = 8,
    phase_start: tuple[int, int, int, int] = (0, 2, 3, 6),
    operators: Sequence[Operator] = (),
    parameters: float = 10 * MIB,
    task: str = "train",
) -> Trace:
    info = TraceInfo(
        workload="hand:made",
        task=task,
        precision="fp32",
        optimizer="adamw",
        image_size=None,
        seq_len=None,
        memory_format="nchw",
        attention="sdpa",
        grad_checkpointing=False,
        unit="images",
        tokens_per_sample=None,
        traced_batches=(2, 4),
    )
    one = np.array([1], dtype=np.int64)
    return Trace(
        info=info,
        operators=operator_table(operators),
        tensors=tensor_table(rows, steps, phase_start),
        parameters=ParameterTable(np.array([int(parameters)]), one, one, one * 4, np.array([True])),
        input_bytes=affine([(0, 1 * MIB)]),
        input_elements=affine([(0, MIB / 4)]),
    )


def make_job(**changes: object) -> Job:
    return Job(**{"workload": "hand:made", "gradients_released": "before-forward", **changes})  # type: ignore[arg-type]


def fact(value: float, unit: str = "B") -> Fact:
    return Fact(value, unit, "test", Evidence.DATASHEET)


def make_place(
    memory: float = 24e9, count: int = 1, architecture: str = "ampere-ga10x", kind: str = "geforce"
) -> Place:
    one = fact(1.0)
    device = Device(
        id="test-gpu",
        name="Test GPU",
        vendor="nvidia",
        architecture=architecture,
        kind=kind,
        memory=fact(memory),
        memory_bandwidth=one,
        units=one,
        clock=one,
        l2=None,
        tdp=None,
        matmul={},
        vector={},
        pcie_generation=None,
        pcie_lanes=None,
        usable_memory=fact(memory),
    )
    link = Link("pcie4-x16", "PCIe", "pcie", one, one, None, one)
    return Place("test-gpu@pcie4-x16", device, count, link)


@pytest.fixture(scope="session")
def trace_of() -> Callable[..., Trace]:
    return make_trace


@pytest.fixture(scope="session")
def job_of() -> Callable[..., Job]:
    return make_job


@pytest.fixture(scope="session")
def place_of() -> Callable[..., Place]:
    return make_place
