"""The columns of a trace at given batch sizes, as the kernel formulas want them."""

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from outboard.types.job import Job
from outboard.types.trace import DTYPES, KINDS, PHASES, FloatArray, IntArray, OperatorTable, Trace

KIND = {name: index for index, name in enumerate(KINDS)}
DTYPE = {name: index for index, name in enumerate(DTYPES)}
PHASE = {name: index for index, name in enumerate(PHASES)}
HALF = (DTYPE["fp16"], DTYPE["bf16"])
GROUPED = tuple(KIND[name] for name in ("conv", "conv_dgrad", "conv_wgrad"))
NATIVE_WIDTHS, NATIVE_GROUPS = (4, 8, 16, 32), 32
CONVOLUTIONS = tuple(KIND[name] for name in KINDS if name.startswith(("conv", "depthwise")))


@dataclass(frozen=True)
class Columns:
    """Operators at B batch sizes: shape (R,) where the batch does not matter, else (R, B)."""

    kind: IntArray
    phase: IntArray
    dtype: IntArray
    count: FloatArray
    kernels: FloatArray  # kernels on the device per operator
    taps: FloatArray
    stride: FloatArray
    fused: FloatArray  # 1 where a compiler has fused the operator with its neighbours
    converted: FloatArray  # 1 where images are not channels-last, so that matrix units need a conversion
    batch_norm: FloatArray  # 1 where a normalisation is over the batch, with statistics of its own
    last: FloatArray  # 1 where images are channels-last
    mixed: FloatArray  # 1 where autocast mixes types
    old: FloatArray  # 1 with the software of PyTorch 1
    image: FloatArray  # pixels of one image of a convolution, else 1
    missing: FloatArray  # 1 where old libraries have no kernel for a convolution on matrix units
    flops: FloatArray  # [FLOP]
    read: FloatArray  # [B]
    written: FloatArray  # [B]
    m: FloatArray
    n: FloatArray
    k: FloatArray
    g: FloatArray

    def __len__(self) -> int:
        return len(self.kind)

    def take(self, rows: IntArray | NDArray[np.bool_]) -> "Columns":
        """Some of the rows."""
        return replace(self, **{item.name: getattr(self, item.name)[rows] for item in fields(self)})


def columns(job: Job, trace: Trace, batches: FloatArray) -> Columns:
    """Evaluate ``trace`` at ``batches`` (shape (B,)) for the way the job runs it: eager or compiled, nchw or nhwc."""
    table = trace.operators
    read, written = (table.fused_read, table.fused_written) if job.compiled else (table.read, table.written)
    kernels = table.fused_kernels if job.compiled else table.kernels
    kind = kinds(job, trace)
    dtype = operand_types(job, kind, table.dtype)
    return Columns(
        kind=kind,
        phase=table.phase,
        dtype=dtype,
        # Nobody steps an optimizer when inferring, even where the trace still carries one.
        count=np.where((table.phase == PHASE["optimizer"]) & (job.task == "infer"), 0.0, table.count),
        kernels=kernels,
        taps=table.taps.astype(np.float64),
        stride=table.stride.astype(np.float64),
        fused=np.full(len(kind), float(job.compiled)),
        converted=_converted(job, table, dtype),
        batch_norm=np.array(["batch_norm" in name for name in table.name], dtype=np.float64),
        last=np.full(len(kind), float(job.memory_format == "nhwc")),
        mixed=np.full(len(kind), float(job.precision.startswith("amp"))),
        old=np.full(len(kind), float(job.software == "torch-1")),
        image=np.where(np.isin(table.kind, GROUPED), np.maximum(table.m.per_batch, 1.0), 1.0),
        missing=_missing(job, kind, dtype, table),
        flops=table.flops.at(batches),
        read=read.at(batches),
        written=written.at(batches),
        m=np.maximum(table.m.at(batches), 1.0),
        n=np.maximum(table.n.at(batches), 1.0),
        k=np.maximum(table.k.at(batches), 1.0),
        g=np.maximum(table.g.at(batches), 1.0),
    )


def _missing(job: Job, kind: IntArray, dtype: IntArray, table: OperatorTable) -> FloatArray:
    """1 for half-precision convolutions in groups on channels-last images, with libraries that have no kernel for them.

    cuDNN 8.3 has kernels for 3 x 3 filters and 32 groups or more of 4, 8, 16 or 32 channels in and out. Shape (R,).
    """
    old = job.software == "torch-1" and job.memory_format == "nhwc"
    grouped = np.isin(kind, GROUPED) & np.isin(dtype, HALF) & (table.g.constant > 1)
    filters, channels = table.n.constant, table.k.constant / np.maximum(table.taps, 1)
    known = (
        (filters == channels)
        & np.isin(filters, NATIVE_WIDTHS)
        & (table.taps == 9)
        & (table.g.constant >= NATIVE_GROUPS)
    )
    return np.where(old & grouped & ~known, 1.0, 0.0)


def _converted(job: Job, table: OperatorTable, dtype: IntArray) -> FloatArray:
    """1 for convolutions whose images are brought into another order first, shape (R,); one tap works in any order."""
    wide = np.isin(table.kind, GROUPED) & (table.taps > 1)
    return np.where(wide & converts(job) & np.isin(dtype, HALF), 1.0, 0.0)


def converts(job: Job) -> bool:
    """Whether images have to be brought into channels-last order for each half-precision convolution on matrix units.

    A compiler (Inductor's ``layout_optimization``, on by default) lays them out that way once, whatever the job says.
    """
    return job.memory_format == "nchw" and not job.compiled


def kinds(job: Job, trace: Trace) -> IntArray:
    """The class of each row. A batch norm that only infers knows its statistics: it scales and shifts like any other
    elementwise operator.
    """
    table = trace.operators
    if job.task != "infer":
        return table.kind
    batch_norm = np.array(["batch_norm" in name for name in table.name], dtype=np.bool_)
    return np.where(batch_norm & (table.kind == KIND["norm"]), KIND["elementwise"], table.kind)


def operand_types(job: Job, kind: IntArray, dtype: IntArray) -> IntArray:
    """Operand types as the device multiplies them.

    With ``tf32`` every fp32 product uses tf32; with ``fp32`` convolutions still do, which is PyTorch's default
    (``torch.backends.cudnn.allow_tf32`` is true, ``torch.backends.cuda.matmul.allow_tf32`` false since 1.12).
    """
    if job.precision not in ("fp32", "tf32"):
        return dtype
    products = CONVOLUTIONS if job.precision == "fp32" else (*CONVOLUTIONS, KIND["matmul"])
    relaxed = np.isin(kind, products) & (dtype == DTYPE["fp32"])
    return np.where(relaxed, DTYPE["tf32"], dtype)
