"""The steps of each optimizer, as torch.optim's default on CUDA executes them: foreach, but a loop for Adafactor.

Sources: torch/optim/{sgd,adam}.py, functions ``_multi_tensor_*``, and _adafactor.py, ``_single_tensor_adafactor``, with
torch's default options (no weight decay, except for AdamW's 0.01 and Adafactor's 0; momentum 0.9 without Nesterov);
bitsandbytes/optim/optimizer.py (``Optimizer2State``) and csrc/kernels.cu for adamw-8bit.
``tests/tracing/test_optimizer.py`` holds them against the real ones.

A recipe is written over *lists*: ``param``, ``grad``, the states, and temporaries, each one tensor per parameter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from outboard.tracing.parameters import Parameter

# bitsandbytes keeps tensors smaller than this in fp32, and one fp32 scale per block of the others.
SMALLEST_8BIT = 4096
BLOCK_8BIT = 256

Size = Callable[[Parameter], float]


@dataclass(frozen=True)
class Move:
    """One operator of a step over all parameters. ``depth`` lists for a foreach kernel; 0 means one kernel per
    parameter.
    """

    name: str
    read: tuple[str, ...]
    written: tuple[str, ...]
    depth: int
    flops: int  # per element of the largest list touched
    scalars: bool = False  # each tensor has a scalar of its own
    kernels: int = 1  # per parameter, where depth is 0
    frees: tuple[str, ...] = ()  # temporaries that are gone before the next operator


@dataclass(frozen=True)
class Recipe:
    """The optimizer of one group of parameters of the same type. Sizes are functions of one parameter [B]."""

    states: dict[str, tuple[Size, ...]]  # each state may consist of several tensors
    temporaries: dict[str, Size]
    moves: tuple[Move, ...]
    one_by_one: bool = False  # all moves over one parameter before the next one's, so that one's temporaries are there

    def list_bytes(self, name: str, parameters: Sequence[Parameter]) -> float:
        """Size of one list over some parameters [B]; ``param`` and ``grad`` are as large as the parameters."""
        parts = self.states.get(name) or (self.temporaries.get(name, like),)
        return sum(size(p) * p.count for size in parts for p in parameters)


def like(parameter: Parameter) -> float:
    """As large as the parameter [B]."""
    return parameter.size


def row_factor(parameter: Parameter) -> float:
    """One value per row of each matrix [B]."""
    return parameter.rows * parameter.itemsize


def column_factor(parameter: Parameter) -> float:
    """One value per column of each matrix [B]."""
    return parameter.planes * parameter.columns * parameter.itemsize


def matrix_mean(parameter: Parameter) -> float:
    """One value per matrix [B]."""
    return parameter.planes * parameter.itemsize


def moment_8bit(parameter: Parameter) -> float:
    """One byte per element, or four in a small tensor [B]."""
    return parameter.elements if parameter.elements >= SMALLEST_8BIT else 4 * parameter.elements


def moment_32bit(parameter: Parameter) -> float:
    """One fp32 per element [B]."""
    return 4 * parameter.elements


def scales_8bit(parameter: Parameter) -> float:
    """One fp32 per block; small tensors have none [B]."""
    return 4 * ceil(parameter.elements / BLOCK_8BIT) if parameter.elements >= SMALLEST_8BIT else 0


NOTHING = Recipe({}, {}, ())
UNSCALE = Move("_amp_foreach_non_finite_check_and_unscale_", ("grad",), ("grad",), 1, 2)

_SGD = Recipe({}, {}, (Move("_foreach_add_", ("param", "grad"), ("param",), 2, 2),))

_MOMENTUM = Recipe(
    {"momentum": (like,)},
    {},
    (
        Move("_foreach_mul_", ("momentum",), ("momentum",), 1, 1),
        Move("_foreach_add_", ("momentum", "grad"), ("momentum",), 2, 1),
        Move("_foreach_add_", ("param", "momentum"), ("param",), 2, 2),
    ),
)

_ADAM_MOVES = (
    Move("_foreach_lerp_", ("exp_avg", "grad"), ("exp_avg",), 2, 3),
    Move("_foreach_mul_", ("exp_avg_sq",), ("exp_avg_sq",), 1, 1),
    Move("_foreach_addcmul_", ("exp_avg_sq", "grad"), ("exp_avg_sq",), 3, 3),
    Move("_foreach_sqrt", ("exp_avg_sq",), ("root",), 2, 1),
    Move("_foreach_div_", ("root",), ("root",), 1, 1, scalars=True),
    Move("_foreach_add_", ("root",), ("root",), 1, 1),
    Move("_foreach_addcdiv_", ("param", "exp_avg", "root"), ("param",), 3, 3, scalars=True, frees=("root",)),
)

_ADAM = Recipe({"exp_avg": (like,), "exp_avg_sq": (like,)}, {"root": like}, _ADAM_MOVES)
_DECAY = Move("_foreach_mul_", ("param",), ("param",), 1, 1)
_ADAMW = Recipe(_ADAM.states, _ADAM.temporaries, (_DECAY, *_ADAM_MOVES))

# torch/optim/adamw.py, fused=True: one kernel per group of tensors and nothing beside the states.
_ADAMW_FUSED = Recipe(
    _ADAM.states,
    {},
    (
        Move(
            "_fused_adamw_",
            ("param", "grad", "exp_avg", "exp_avg_sq"),
            ("param", "exp_avg", "exp_avg_sq"),
            4,
            16,
        ),
    ),
)

_ADAMW_8BIT = Recipe(
    {"exp_avg": (moment_8bit, scales_8bit), "exp_avg_sq": (moment_8bit, scales_8bit)},
    {},
    (
        Move(
            "optimizer_update_8bit_blockwise",
            ("param", "grad", "exp_avg", "exp_avg_sq"),
            ("param", "exp_avg", "exp_avg_sq"),
            0,
            16,
        ),
    ),
)

# bitsandbytes' 32-bit AdamW: moments in fp32 whatever the parameters are, one kernel for each parameter.
_ADAMW_32BIT = Recipe(
    {"exp_avg": (moment_32bit,), "exp_avg_sq": (moment_32bit,)},
    {},
    (
        Move(
            "optimizer_update_32bit",
            ("param", "grad", "exp_avg", "exp_avg_sq"),
            ("param", "exp_avg", "exp_avg_sq"),
            0,
            16,
        ),
    ),
)

# _single_tensor_adafactor: a loop over the parameters, which is its default for the memory that it saves. Norms that
# are read back (.item()) launch two kernels each.
_UPDATE = (
    Move("clamp_", ("update",), ("update",), 0, 1),
    Move("rsqrt_", ("update",), ("update",), 0, 1),
    Move("mul_", ("update", "grad"), ("update",), 0, 1),
    Move("linalg_vector_norm", ("update",), (), 0, 2, kernels=2),
    Move("add_", ("param", "update"), ("param",), 0, 2, frees=("update",)),
)

_ADAFACTOR_MATRIX = Recipe(
    {"row": (row_factor,), "column": (column_factor,)},
    {"update": like, "row_means": row_factor, "column_means": column_factor, "matrix_means": matrix_mean},
    (
        Move("linalg_vector_norm", ("param",), (), 0, 2, kernels=2),
        Move("linalg_vector_norm", ("grad",), ("row_means",), 0, 2),
        Move("square_", ("row_means",), ("row_means",), 0, 1),
        Move("div_", ("row_means",), ("row_means",), 0, 1),
        Move("lerp_", ("row", "row_means"), ("row",), 0, 3, frees=("row_means",)),
        Move("linalg_vector_norm", ("grad",), ("column_means",), 0, 2),
        Move("square_", ("column_means",), ("column_means",), 0, 1),
        Move("div_", ("column_means",), ("column_means",), 0, 1),
        Move("lerp_", ("column", "column_means"), ("column",), 0, 3, frees=("column_means",)),
        Move("matmul", ("row", "column"), ("update",), 0, 1),
        Move("mean", ("row",), ("matrix_means",), 0, 1),
        Move("clamp_", ("matrix_means",), ("matrix_means",), 0, 1),
        Move("div_", ("update", "matrix_means"), ("update",), 0, 1, frees=("matrix_means",)),
        *_UPDATE,
    ),
    one_by_one=True,
)

_ADAFACTOR_VECTOR = Recipe(
    {"variance": (like,)},
    {"squares": like, "update": like},
    (
        Move("linalg_vector_norm", ("param",), (), 0, 2, kernels=2),
        Move("mul", ("grad",), ("squares",), 0, 1),
        Move("lerp_", ("variance", "squares"), ("variance",), 0, 3, frees=("squares",)),
        Move("clone", ("variance",), ("update",), 0, 0),
        *_UPDATE,
    ),
    one_by_one=True,
)

_SIMPLE = {
    "sgd": _SGD,
    "momentum": _MOMENTUM,
    "adam": _ADAM,
    "adamw": _ADAMW,
    "adamw-fused": _ADAMW_FUSED,
    "adamw-8bit": _ADAMW_8BIT,
    # The same with states in memory that the driver moves between host and device (``is_paged`` of bitsandbytes).
    "paged-adamw": _ADAMW_32BIT,
    "paged-adamw-8bit": _ADAMW_8BIT,
}

OPTIMIZERS = (*_SIMPLE, "adafactor")


def recipe_for(optimizer: str, parameter: Parameter) -> Recipe:
    """The recipe of one parameter; only Adafactor treats vectors otherwise than matrices."""
    if optimizer == "adafactor":
        return _ADAFACTOR_MATRIX if parameter.planes else _ADAFACTOR_VECTOR
    return _SIMPLE[optimizer]
