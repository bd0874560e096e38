"""Hand-made recordings, so that most tests need no model and no torch."""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from outboard.tracing.merge import merge_steps
from outboard.tracing.raw import RawOperator, RawStep, RawTensor
from outboard.types.trace import Trace, TraceInfo

Shape = tuple[int, ...]
StepMaker = Callable[[int], RawStep]


def make_operator(
    name: str,
    kind: str,
    inputs: Sequence[tuple[int, float]] = (),
    outputs: Sequence[tuple[int, float]] = (),
    **columns: object,
) -> RawOperator:
    """An operator from (storage, bytes) pairs; its phase is forward and its type fp32 unless said otherwise."""
    values: dict[str, object] = {"phase": "forward", "dtype": "fp32", "flops": 0.0, **columns}
    return RawOperator(
        name=name,
        kind=kind,
        inputs=tuple(storage for storage, _ in inputs),
        input_bytes=tuple(float(size) for _, size in inputs),
        outputs=tuple(storage for storage, _ in outputs),
        output_bytes=tuple(float(size) for _, size in outputs),
        **values,  # type: ignore[arg-type]
    )


def make_info(**changes: object) -> TraceInfo:
    """What was traced: a small model with defaults."""
    values: dict[str, object] = {
        "workload": "timm:tiny",
        "task": "train",
        "precision": "fp32",
        "optimizer": "",
        "image_size": 32,
        "seq_len": None,
        "memory_format": "nchw",
        "attention": "sdpa",
        "grad_checkpointing": False,
        "unit": "images",
        "tokens_per_sample": None,
        "traced_batches": (2, 4, 7),
        "versions": {"torch": "2.14.1"},
        "command": "outboard trace timm:tiny",
        **changes,
    }
    return TraceInfo(**values)  # type: ignore[arg-type]


def make_step(batch: int, layers: int = 3, width: int = 8) -> RawStep:
    """A stack of linear layers, each followed by a ReLU, forward and backward."""
    weight, activation = 4.0 * width * width, 4.0 * width * batch
    operators: list[RawOperator] = []
    tensors = [RawTensor(layer, "weights", weight, -1, 4 * layers) for layer in range(layers)]
    tensors += [RawTensor(layers, "inputs", activation, -1, 4 * layers)]
    x, fresh = layers, layers + 1
    product = {"flops": 2.0 * batch * width * width, "m": batch, "n": width, "k": width}
    for layer in range(layers):
        y, z = fresh, fresh + 1
        at = len(operators)
        operators.append(
            make_operator("mm", "matmul", [(x, activation), (layer, weight)], [(y, activation)], **product)
        )
        operators.append(make_operator("relu", "elementwise", [(y, activation)], [(z, activation)], m=batch * width))
        tensors += [
            RawTensor(y, "temporaries", activation, at, at + 2),
            RawTensor(z, "activations", activation, at + 1, 4 * layers),
        ]
        x, fresh = z, fresh + 2
    for _ in range(layers):
        at = len(operators)
        backward = {"phase": "backward"}
        operators.append(
            make_operator(
                "relu_backward", "elementwise", [(x, activation)], [(fresh, activation)], m=batch * width, **backward
            )
        )
        operators.append(
            make_operator(
                "mm", "matmul", [(fresh, activation), (x, activation)], [(fresh + 1, weight)], **product, **backward
            )
        )
        tensors += [
            RawTensor(fresh, "temporaries", activation, at, at + 2),
            RawTensor(fresh + 1, "gradients", weight, at + 1, 4 * layers),
        ]
        fresh += 2
    return RawStep(
        batch=batch,
        operators=operators,
        tensors=tensors,
        phase_start={"forward": 0, "loss": 2 * layers, "backward": 2 * layers, "optimizer": 4 * layers},
        parameters=[((width, width), 4, True)] * layers,
        inputs=[(float(width * batch), activation)],
    )


@pytest.fixture
def operator() -> Callable[..., RawOperator]:
    return make_operator


@pytest.fixture
def step() -> StepMaker:
    return make_step


@pytest.fixture
def info() -> Callable[..., TraceInfo]:
    return make_info


@pytest.fixture
def trace() -> Trace:
    return merge_steps([make_step(batch) for batch in (2, 4, 7)], make_info())


def same_traces(one: object, two: object) -> bool:
    """Equality down to every number, which dataclasses of arrays do not have."""
    if isinstance(one, np.ndarray) and isinstance(two, np.ndarray):
        return one.dtype == two.dtype and np.array_equal(one, two)
    if is_dataclass(one) and is_dataclass(two):
        return type(one) is type(two) and all(
            same_traces(getattr(one, field.name), getattr(two, field.name)) for field in fields(one)
        )
    return one == two


@pytest.fixture
def same() -> Callable[[object, object], bool]:
    return same_traces
