"""What a step takes beside the tensors of its trace: inside operators, by libraries, by the driver, by the screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from outboard.perf.collectives.volume import gradient_bytes
from outboard.perf.memory.coefficients import coefficient
from outboard.types.evidence import Fact
from outboard.types.hardware import Device, Place
from outboard.types.trace import DTYPES, KINDS, PHASES, FloatArray, IntArray, OperatorTable, Trace

if TYPE_CHECKING:
    from outboard.types.job import Job

ComplexArray = NDArray[np.complex128]
Bound = Callable[[Fact], float]
CONVOLUTIONS = tuple(KINDS.index(kind) for kind in ("conv", "conv_dgrad", "conv_wgrad"))
ATTENTION_BACKWARD = KINDS.index("attention_backward")
MATMUL = KINDS.index("matmul")
HALF = tuple(DTYPES.index(name) for name in ("fp16", "bf16"))
BACKWARD = PHASES.index("backward")


@dataclass(frozen=True)
class Transients:
    """Storages that live only while one operator runs, shape (transients,): ``constant + per_batch * batch`` [B]."""

    position: IntArray
    constant: FloatArray
    per_batch: FloatArray


def low(fact: Fact) -> float:
    """The lower end of a fact's band."""
    return fact.value if fact.low is None else fact.low


def value(fact: Fact) -> float:
    """The value of a fact."""
    return fact.value


def high(fact: Fact) -> float:
    """The upper end of a fact's band."""
    return fact.value if fact.high is None else fact.high


def context(device: Device) -> Fact:
    """Device memory [B] that the driver and the loaded kernels take, outside the framework's allocator."""
    return coefficient("context", _architecture(device))


def blas_workspace(device: Device) -> Fact:
    """Device memory [B] that the matrix library takes from the framework's allocator, per thread that multiplies."""
    return coefficient("blas", _architecture(device))


def display(device: Device) -> Fact:
    """Device memory [B] that a screen on this card is taken to use."""
    return coefficient("display", device.kind)


def _architecture(device: Device) -> str:
    return "cpu" if device.vendor == "cpu" else device.architecture


def multiplying_threads(trace: Trace) -> int:
    """How many threads ask for a matrix workspace: the main one, and in training the one that runs backward."""
    rows = trace.operators.kind == MATMUL
    if not rows.any():
        return 0
    return 2 if (trace.operators.phase[rows] == BACKWARD).any() else 1


def gradient_buckets(job: Job, trace: Trace, place: Place) -> float:
    """Bytes of the buckets that DistributedDataParallel keeps beside the gradients: one more copy of them [B]."""
    copied = job.parallel == "ddp" and place.count > 1 and trace.info.task != "infer"
    return gradient_bytes(trace) if copied else 0.0


def transients(job: Job, trace: Trace, bound: Bound) -> Transients:
    """Workspaces of convolutions and of fused attention's backward pass, placed where those operators run.

    The operator table has lost the order of execution, so operators are found again by what they write: a storage born
    with exactly the bytes that such an operator writes (or several born together with that sum) marks its position.
    Another operator that writes as much may be marked too, which adds a little too much rather than too little.
    """
    operators, tensors = trace.operators, trace.tensors
    factor_read, factor_written = _factors(job, operators, bound)
    wanted = np.flatnonzero((factor_read > 0) | (factor_written > 0))
    if not len(wanted):
        none = np.zeros(0)
        return Transients(none.astype(np.int64), none, none)
    constant = factor_read * operators.read.constant + factor_written * operators.written.constant
    per_batch = factor_read * operators.read.per_batch + factor_written * operators.written.per_batch
    position, row = _positions(operators, wanted, trace)
    keep = position < tensors.steps
    return Transients(position[keep], np.maximum(constant[row[keep]], 0.0), np.maximum(per_batch[row[keep]], 0.0))


def _factors(job: Job, operators: OperatorTable, bound: Bound) -> tuple[FloatArray, FloatArray]:
    """Workspace of each operator as multiples of the bytes it reads and writes, shape (rows,) each."""
    convolution = np.isin(operators.kind, CONVOLUTIONS)
    transposed = np.isin(operators.dtype, HALF) & (job.memory_format == "nchw")
    direct = bound(coefficient("convolution", "direct"))
    by_layout = np.where(transposed, bound(coefficient("convolution", "transposed")), direct)
    read = np.where(convolution, by_layout, 0.0)
    attention = operators.kind == ATTENTION_BACKWARD
    # Of the three gradients written, the query's is the share m : m + 2 n; it is kept once more in fp32.
    queries, keys = operators.m.constant + operators.m.per_batch, operators.n.constant + operators.n.per_batch
    share = queries / np.maximum(queries + 2 * keys, 1.0)
    widening = np.where(np.isin(operators.dtype, HALF), 2.0, 1.0)
    accumulator = bound(coefficient("attention", "backward")) * share * widening
    return read, read + np.where(attention, accumulator, 0.0)


def _positions(operators: OperatorTable, wanted: IntArray, trace: Trace) -> tuple[IntArray, IntArray]:
    """``(position, row)`` of every place in the step where an operator of one of the ``wanted`` rows seems to run."""
    tensors = trace.tensors
    born = tensors.birth >= 0
    birth = tensors.birth[born]
    constant, per_batch = tensors.size.constant[born], tensors.size.per_batch[born]
    # The index is not needed; without it NumPy loads its masked arrays, which takes longer than all the rest here.
    together, _first = np.unique(birth, return_index=True)
    keys = np.concatenate(
        [
            _key(constant, per_batch),
            _key(_sum_by(birth, constant)[together], _sum_by(birth, per_batch)[together]),
        ]
    )
    positions = np.concatenate([birth, together])
    backward = positions >= tensors.phase_start[BACKWARD]
    wanted_key = _key(operators.written.constant[wanted], operators.written.per_batch[wanted])
    found: list[tuple[IntArray, IntArray]] = []
    for phase in (False, True):
        rows = wanted[(operators.phase[wanted] == BACKWARD) == phase]
        row_key = wanted_key[(operators.phase[wanted] == BACKWARD) == phase]
        if len(rows):
            found.append(_match(keys[backward == phase], positions[backward == phase], row_key, rows))
    position, row = (np.concatenate([pair[i] for pair in found]) for i in (0, 1))
    return position, row


def _match(keys: ComplexArray, positions: IntArray, row_key: ComplexArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    order = np.argsort(row_key)
    sorted_key = row_key[order]
    at = np.minimum(np.searchsorted(sorted_key, keys), len(rows) - 1)
    hit = sorted_key[at] == keys
    position, first = np.unique(positions[hit], return_index=True)
    return position, rows[order[at[hit]]][first]


def _sum_by(group: IntArray, weight: FloatArray) -> FloatArray:
    return np.bincount(group, weights=weight).astype(np.float64)


def _key(constant: FloatArray, per_batch: FloatArray) -> ComplexArray:
    """One number per size that is equal for equal sizes, whatever noise the affine fit left in the last digits."""
    return np.rint(constant) + 1j * np.rint(per_batch)
