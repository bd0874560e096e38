"""The step on a CPU: operators run one after another, each takes its start, its arithmetic and its bytes.

    seconds = start + FLOP / rate of its class + bytes / bandwidth of its class

The rates are figures measured on that machine (``Device.measured``). A class without one takes the processor's peak
and the memory's bandwidth; a device without any is forecast from those alone, and says that they are assumed.
"""

import math

import numpy as np

from outboard.perf.time.columns import PHASE, Columns, columns
from outboard.perf.time.step import BACKWARD, FORWARD, OPTIMIZER, StepReplay, phase_weights
from outboard.types.evidence import Evidence
from outboard.types.hardware import Device
from outboard.types.job import Job
from outboard.types.trace import DTYPES, KINDS, FloatArray, Trace

# What an operator takes to start where nobody measured it [s].
START = 5e-6
# Names that compute exponentials or error functions for each element: several times the work of a sum.
ACTIVATIONS = ("gelu", "silu", "sigmoid", "tanh", "exp", "erf", "pow", "hardswish", "mish", "softplus")
CLASSES = {"attention_backward": "attention_backward", "scatter": "gather", "sort": "gather", "random": "activation"}
PLAIN = ("fp32", "tf32")  # the same thing on a CPU


def replay(job: Job, trace: Trace, batches: FloatArray, device: Device) -> StepReplay:
    """Seconds of a step on ``device`` at B batches, shape (1, B) each [s]; there is no link and nothing to hide."""
    batches = np.asarray(batches, dtype=np.float64)
    cols = columns(job, trace, batches)
    micro = float(job.grad_accumulation) if job.task != "infer" else 1.0
    weights = phase_weights(cols) * np.array([micro, micro, 1.0])[:, None]
    arithmetic, traffic, start = _rows(job, trace, cols, device)
    compute, memory, launch = weights @ arithmetic, weights @ traffic, weights @ start
    update = _update(job, trace, device)
    if update is None:
        update = compute[OPTIMIZER] + memory[OPTIMIZER] + launch[OPTIMIZER]
    nothing = np.zeros((1, len(batches)))
    parts = {
        "compute": (compute[FORWARD] + compute[BACKWARD])[None, :],
        "memory": (memory[FORWARD] + memory[BACKWARD])[None, :],
        "launch": (launch[FORWARD] + launch[BACKWARD])[None, :] + nothing,
        "optimizer": nothing + update,
    }
    absent = ("collective", "issue", "copy", "feed", "link", "input", "pauses")
    return StepReplay(**parts, **dict.fromkeys(absent, nothing), without_link=sum(parts.values(), nothing))


def _rows(job: Job, trace: Trace, cols: Columns, device: Device) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Arithmetic and memory time of each row, shape (R, B), and its start, shape (R, 1) [s]."""
    names = [operator_class(*row) for row in zip(trace.operators.name, cols.kind, cols.phase, strict=True)]
    types: list[int] = cols.dtype.tolist()
    peak = np.array([slower(device, DTYPES[one]) for one in types])
    rate = np.array([_rate(device, name) for name in names]) * peak
    bandwidth = np.array([_bandwidth(device, name) for name in names])
    starts = {phase: _start(job, device, phase) for phase in range(len(PHASE))}
    start = np.array([starts[int(phase)] for phase in cols.phase]) * np.minimum(cols.kernels, 1.0)
    working = np.isin(cols.kind, [KINDS.index(name) for name in KINDS if name.startswith(WORKING)])
    arithmetic = np.where(working[:, None], cols.flops / rate[:, None], 0.0)
    return arithmetic, (cols.read + cols.written) / bandwidth[:, None], start[:, None]


WORKING = ("matmul", "conv", "depthwise", "attention")


def operator_class(name: str, kind: int, phase: int) -> str:
    """The class of figures that an operator belongs to.

    >>> operator_class("aten.gelu_backward", KINDS.index("elementwise"), PHASE["backward"])
    'activation_backward'
    """
    word = KINDS[kind]
    if word == "elementwise":
        if any(known in name for known in ACTIVATIONS):
            return "activation_backward" if phase == PHASE["backward"] else "activation"
        if name.endswith("_") or phase == PHASE["optimizer"]:
            return "in_place"
        return "elementwise_backward" if phase == PHASE["backward"] else "elementwise"
    if "batch_norm" in name:
        return "batch_norm_backward" if "backward" in name else "batch_norm"
    return CLASSES.get(word, word)


def slower(device: Device, dtype: str) -> float:
    """Rate for operands of ``dtype`` over that of fp32 [1]; NaN where nobody knows it."""
    if dtype in PLAIN or dtype not in ("fp64", "fp16", "bf16", "fp8", "complex"):
        return 1.0
    known = device.matmul.get(dtype) or device.vector.get(dtype)
    return known.value / device.matmul["fp32"].value if known else math.nan


def _rate(device: Device, name: str) -> float:
    """Arithmetic rate of a class [FLOP/s]; infinite where its shapes were bound by bytes alone."""
    if fact := device.measured.get(f"{name}.flops"):
        return fact.value
    return math.inf if f"{name}.bytes" in device.measured else device.matmul["fp32"].value


def _bandwidth(device: Device, name: str) -> float:
    """Bandwidth of a class [B/s]; infinite where its shapes were bound by arithmetic alone."""
    if fact := device.measured.get(f"{name}.bytes"):
        return fact.value
    return math.inf if f"{name}.flops" in device.measured else device.memory_bandwidth.value


def _start(job: Job, device: Device, phase: int) -> float:
    forward = "launch.infer" if job.task == "infer" else "launch.forward"
    name = {PHASE["backward"]: "launch.backward", PHASE["optimizer"]: "launch.infer"}.get(phase, forward)
    fact = device.measured.get(name)
    return fact.value if fact else START


def _update(job: Job, trace: Trace, device: Device) -> float | None:
    """Seconds of the optimizer's step: tensors and elements that are trained; None where it was not measured."""
    each = device.measured.get(f"optimizer.{job.optimizer}.element")
    tensor = device.measured.get(f"optimizer.{job.optimizer}.tensor")
    if job.task == "infer":
        return 0.0
    if each is None or tensor is None:
        return None
    table = trace.parameters
    count = np.where(table.trainable, table.count, 0)
    return float((count * table.rows * table.columns).sum() * each.value + count.sum() * tensor.value)


ENDS = {"compute": ".flops", "memory": ".bytes"}
STARTS = {"launch": "launch.", "optimizer": "optimizer."}


def figures(part: str, device: Device) -> tuple[str, ...]:
    """Names of the measured figures that a part of the step is computed from."""
    if part in ENDS:
        return tuple(name for name in device.measured if name.endswith(ENDS[part]))
    return tuple(name for name in device.measured if part in STARTS and name.startswith(STARTS[part]))


def evidence(device: Device) -> Evidence:
    """What a forecast for this processor is worth: assumed, until its operators are measured."""
    whole = any(name.endswith(".flops") for name in device.measured)
    return Evidence.MEASURED_HERE if whole else Evidence.ASSUMED
