"""What one recording of one step at one batch size yields, before several of them are merged into a trace."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class RawOperator:
    """One executed operator. Columns as in :class:`outboard.types.trace.OperatorTable`, with plain numbers.

    ``inputs`` and ``outputs`` are the ids of the storages read and written, in order of the arguments; ``input_bytes``
    and ``output_bytes`` the bytes of each that are touched, so that fusion can drop the ones that stay on chip.
    """

    name: str
    kind: str
    phase: str
    dtype: str
    flops: float
    inputs: tuple[int, ...]
    input_bytes: tuple[float, ...]
    outputs: tuple[int, ...]
    output_bytes: tuple[float, ...]
    m: float = 0.0
    n: float = 0.0
    k: float = 0.0
    g: float = 1.0
    taps: int = 1
    stride: int = 1
    kernels: float = 1.0


@dataclass(slots=True)
class RawTensor:
    """One storage. Birth and death as in :class:`outboard.types.trace.TensorTable`."""

    id: int
    category: str
    size: float
    birth: int
    death: int


@dataclass(slots=True)
class RawStep:
    """One step recorded at one batch size. Forward, loss and backward only: the optimizer is attached afterwards.

    ``parameters`` are (shape, itemsize, trainable) of every parameter; ``inputs`` are (elements, bytes) of every input
    tensor.
    """

    batch: int
    operators: list[RawOperator]
    tensors: list[RawTensor]
    phase_start: dict[str, int]
    parameters: list[tuple[tuple[int, ...], int, bool]]
    inputs: list[tuple[float, float]]
    warnings: list[str] = field(default_factory=list)
