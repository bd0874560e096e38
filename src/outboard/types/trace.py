"""A trace: one training or inference step as tables that are affine in the batch size.

Every quantity that depends on the batch is stored as ``constant + per_batch * batch``. Operators that are identical
in everything that matters for their time are one row with a ``count``; tensors keep their order, because memory
depends on it.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FORMAT_VERSION = 1

PHASES = ("forward", "loss", "backward", "optimizer")

# The operator classes that have a time model of their own. For each, what the shape columns hold:
#   matmul        m, n, k of each of g independent products
#   conv          implicit GEMM: m = output pixels * images, n = output channels / groups,
#                 k = input channels / groups * taps, g = groups; the same for conv_dgrad and conv_wgrad
#   depthwise     as conv with groups == input channels
#   attention     m = query length, n = key length, k = head size, g = images * heads (attention_backward too)
#   norm          m = rows normalised, n = elements per row (batch norm: m = channels); norm_backward too
#   softmax, reduction, pool, elementwise, copy, gather, scatter, random, sort, fft, other: m = elements written
KINDS = (
    "matmul",
    "conv",
    "conv_dgrad",
    "conv_wgrad",
    "depthwise",
    "depthwise_dgrad",
    "depthwise_wgrad",
    "attention",
    "attention_backward",
    "norm",
    "norm_backward",
    "softmax",
    "softmax_backward",
    "reduction",
    "pool",
    "pool_backward",
    "elementwise",
    "copy",
    "gather",
    "scatter",
    "random",
    "sort",
    "fft",
    "optimizer",
    "other",
)

CATEGORIES = ("weights", "gradients", "optimizer", "activations", "temporaries", "inputs", "output")

DTYPES = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int64", "int32", "int16", "int8", "uint8", "bool", "complex")


@dataclass(frozen=True)
class Affine:
    """``constant + per_batch * batch`` for a column of values, shape (rows,) each."""

    constant: FloatArray
    per_batch: FloatArray

    def at(self, batches: FloatArray) -> FloatArray:
        """Values at each batch, shape (rows, len(batches))."""
        return self.constant[:, None] + self.per_batch[:, None] * batches[None, :]


@dataclass(frozen=True)
class OperatorTable:
    """Operators of one step, one row per distinct operator. All columns have shape (rows,)."""

    name: tuple[str, ...]  # e.g. "aten.convolution"
    kind: IntArray  # index into KINDS
    phase: IntArray  # index into PHASES
    dtype: IntArray  # operand type, index into DTYPES; decides which rate of the device applies
    count: FloatArray  # how many such operators in one step
    flops: Affine  # [FLOP], a multiply-add is two
    read: Affine  # [B]
    written: Affine  # [B]
    m: Affine
    n: Affine
    k: Affine
    g: Affine
    taps: IntArray  # kernel height * width of a convolution, else 1
    stride: IntArray  # stride of a convolution, else 1
    kernels: FloatArray  # device kernels launched by one such operator in eager mode
    fused_read: Affine  # [B] left when a compiler fuses elementwise chains
    fused_written: Affine  # [B]
    fused_kernels: FloatArray  # kernels left after fusion; 0 where the operator vanishes into its neighbour

    def __len__(self) -> int:
        return len(self.name)


@dataclass(frozen=True)
class TensorTable:
    """Storages that live on the device during one step, in order of birth. All columns have shape (rows,).

    Times are positions in the sequence of executed operators, 0 .. ``steps``. A birth of -1 means "there before the
    step", a death of ``steps`` means "still there after it". A death at t happens before a birth at t: an
    operator's inputs that it frees are gone when its successor allocates, never when itself does; so a tensor last
    used by operator i dies at i + 1.
    """

    birth: IntArray
    death: IntArray
    category: IntArray  # index into CATEGORIES
    size: Affine  # [B], as the framework asks for it (not rounded)
    steps: int
    phase_start: tuple[int, int, int, int]  # position at which each of PHASES begins
    # Deaths once the model is compiled, equal to the birth where a storage never is; nothing: nobody asked.
    compiled_death: IntArray | None = None

    def __len__(self) -> int:
        return len(self.birth)


@dataclass(frozen=True)
class ParameterTable:
    """Parameters grouped by shape, for optimizers. ``rows * columns`` elements each (columns 1 for vectors)."""

    rows: IntArray
    columns: IntArray
    count: IntArray
    itemsize: IntArray  # [B]
    trainable: NDArray[np.bool_]

    @property
    def elements(self) -> FloatArray:
        """Elements of all parameters of each shape together, (rows,)."""
        return (self.rows * self.columns * self.count).astype(np.float64)

    @property
    def bytes(self) -> FloatArray:
        """The same in bytes, (rows,) [B]."""
        return self.elements * self.itemsize


@dataclass(frozen=True)
class TraceInfo:
    """What was traced and with what, so that nobody needs the model again to know what the numbers mean."""

    workload: str
    task: str
    precision: str
    optimizer: str
    image_size: int | None
    seq_len: int | None
    memory_format: str
    attention: str
    grad_checkpointing: bool
    unit: str  # what a batch counts: "images", "sequences", "samples"
    tokens_per_sample: int | None
    traced_batches: tuple[int, ...]
    versions: dict[str, str] = field(default_factory=dict[str, str])
    command: str = ""
    warnings: tuple[str, ...] = ()
    # What of the model is trained, and how, as far as it is not the default: fields of the job.
    adaptation: dict[str, str | int | float | bool] = field(default_factory=dict[str, str | int | float | bool])
    # What the job asked for beside what is recorded (batch, copies, loop): used where only the trace is at hand.
    asked: dict[str, str | int | float | bool] = field(default_factory=dict[str, str | int | float | bool])


@dataclass(frozen=True)
class Trace:
    """One step of a job. ``input_bytes`` is what has to reach the device for each step, in the model's own types."""

    info: TraceInfo
    operators: OperatorTable
    tensors: TensorTable
    parameters: ParameterTable
    input_bytes: Affine  # rows: one per input tensor [B]
    input_elements: Affine  # rows: elements of each input tensor
    not_affine: tuple[str, ...] = ()  # operators whose cost is not affine in the batch, worst first
    not_affine_error: float = 0.0  # largest relative error at the third batch size, of total FLOPs, bytes and peak
    format_version: int = FORMAT_VERSION
    # Bytes beside weights and inputs at the highest point of a forward pass without gradients, one row; nothing: nobody
    # asked. [B]
    evaluation: Affine | None = None

    def parameter_count(self) -> int:
        """All parameters, trainable or not."""
        return int(self.parameters.elements.sum())

    def with_info(self, **changes: object) -> "Trace":
        """A copy whose ``info`` has the given fields replaced."""
        return replace(self, info=replace(self.info, **changes))  # type: ignore[arg-type]
