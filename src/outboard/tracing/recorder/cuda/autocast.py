"""Autocast with CUDA's operator lists on CPU tensors.

torch keeps one list of operators per device. CPU autocast is switched on, and each operator that CUDA treats otherwise
gets another kernel under the dispatch key of CPU autocast. The cache of cast weights is torch's own.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import torch

DTYPES = {"amp-fp16": torch.float16, "amp-bf16": torch.bfloat16}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# From ATen/autocast_mode.h (AT_FORALL_...), which is what torch.amp documents; ``tests`` compare them with that header.
LOWER = _words(
    """
    _convolution.deprecated _convolution conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d.input
    conv_transpose3d.input convolution prelu addmm addmv addr matmul einsum mm mv linalg_vecdot linear addbmm baddbmm
    bmm chain_matmul linalg_multi_dot _thnn_fused_lstm_cell _thnn_fused_gru_cell lstm_cell gru_cell rnn_tanh_cell
    rnn_relu_cell scaled_dot_product_attention
    """
)
FP32 = _words(
    """
    acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar pow.Tensor_Tensor
    pow.Scalar softplus layer_norm native_layer_norm rms_norm group_norm frobenius_norm.dim nuclear_norm
    nuclear_norm.dim cosine_similarity poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss
    kl_div l1_loss smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss
    triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp
    upsample_nearest1d _upsample_nearest_exact1d upsample_nearest2d _upsample_nearest_exact2d upsample_nearest3d
    _upsample_nearest_exact3d upsample_linear1d upsample_bilinear2d _upsample_bilinear2d_aa upsample_trilinear3d
    upsample_bicubic2d _upsample_bicubic2d_aa
    """
)
FP32_RESULT = _words(
    """
    prod prod.dim_int softmax.int log_softmax.int cumprod cumsum linalg_vector_norm linalg_matrix_norm
    linalg_matrix_norm.str_ord sum sum.dim_IntList
    """
)
FP32_APPEND = {"norm.Scalar": "norm.ScalarOpt_dtype", "norm.ScalarOpt_dim": "norm.ScalarOpt_dim_dtype"}
PROMOTE = _words(
    """
    addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add
    """
)

_EXCLUDED = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)


@contextlib.contextmanager
def cuda_lists() -> Iterator[None]:
    """While inside, CPU autocast casts what CUDA autocast casts, and nothing else."""
    library = torch.library.Library("aten", "IMPL")
    try:
        on_cpu = {name.removeprefix("aten::") for name in _cpu_list()}
        for name, kernel in _kernels(on_cpu):
            _register(library, name, kernel)
        yield
    finally:
        library._destroy()


@contextlib.contextmanager
def named_cuda() -> Iterator[None]:
    """While inside, code that speaks of CUDA's autocast means the one that is emulated."""
    enter, enabled, dtype = torch.autocast.__init__, torch.is_autocast_enabled, torch.get_autocast_dtype

    def on(device_type: str | None = None) -> str:
        return "cpu" if device_type in (None, "cuda") else device_type

    def init(self: Any, device_type: str, *args: Any, **kwargs: Any) -> None:
        enter(self, on(device_type), *args, **kwargs)

    with (
        patch.object(torch.autocast, "__init__", init),
        patch.object(torch, "is_autocast_enabled", lambda device_type=None: enabled(on(device_type))),
        patch.object(torch, "get_autocast_dtype", lambda device_type=None: dtype(on(device_type))),
        patch.object(torch, "get_autocast_gpu_dtype", lambda: dtype("cpu")),
    ):
        yield


def lowered(tensor: torch.Tensor) -> torch.Tensor:
    """What an operator of the lower list makes of ``tensor`` where autocast is on."""
    if not torch.is_autocast_enabled("cpu"):
        return tensor
    return _cast(tensor, torch.get_autocast_dtype("cpu"))


def _cpu_list() -> list[str]:
    return [n for n in torch._C._dispatch_get_registrations_for_dispatch_key("AutocastCPU") if n.startswith("aten::")]


def _kernels(on_cpu: set[str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in FP32:
        yield name, _casting(name, lambda args: torch.float32)
    for name in FP32_RESULT:
        yield name, _with_result_type(name)
    for name, longer in FP32_APPEND.items():
        yield name, _appending(longer)
    for name in PROMOTE:
        yield name, _casting(name, _widest)
    for name in LOWER - on_cpu:
        yield name, _casting(name, lambda args: torch.get_autocast_dtype("cpu"))
    for name in on_cpu - LOWER - FP32 - FP32_RESULT - PROMOTE:
        if not name.startswith(("conv1d.", "conv2d.", "conv3d.")):
            yield name, torch.library.fallthrough_kernel


def _register(library: Any, name: str, kernel: Callable[..., Any]) -> None:
    if _operator(name) is not None:
        library.impl(name, kernel, "AutocastCPU")


def _operator(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)


def _cast(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor):
        wrong = value.dtype.is_floating_point and value.dtype not in (dtype, torch.float64)
        return value.to(dtype) if wrong else value
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(item, dtype) for item in value)
    return value


def _casting(name: str, dtype_for: Callable[[Any], torch.dtype]) -> Callable[..., Any]:
    operator = _operator(name)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        dtype = dtype_for(args)
        with torch._C._ExcludeDispatchKeyGuard(_EXCLUDED):
            return operator(*_cast(args, dtype), **{key: _cast(value, dtype) for key, value in kwargs.items()})

    return kernel


def _widest(args: Any) -> torch.dtype:
    flat = [v for value in args for v in (value if isinstance(value, (list, tuple)) else [value])]
    wide = any(isinstance(v, torch.Tensor) and v.dtype == torch.float32 for v in flat)
    return torch.float32 if wide else torch.get_autocast_dtype("cpu")


def _with_result_type(name: str) -> Callable[..., Any]:
    """Operators that can convert while they compute: they get ``dtype=float32`` instead of a cast."""
    operator = _operator(name)
    fused = {"softmax.int": torch.ops.aten._softmax, "log_softmax.int": torch.ops.aten._log_softmax}.get(name)
    position = next(i for i, a in enumerate(operator._schema.arguments) if a.name == "dtype")
    keyword = operator._schema.arguments[position].kwarg_only

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(_EXCLUDED):
            unset = kwargs.get("dtype") is None and (keyword or len(args) <= position or args[position] is None)
            if not unset or not args[0].dtype.is_floating_point or args[0].dtype == torch.float64:
                return operator(*args, **kwargs)
            if fused is not None and args[0].dtype == torch.float16:
                return fused(args[0], args[1], True)
            return operator(*args[:position], **{**kwargs, "dtype": torch.float32})

    return kernel


def _appending(longer: str) -> Callable[..., Any]:
    operator = _operator(longer)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(_EXCLUDED):
            return operator(*args, **kwargs, dtype=torch.float32)

    return kernel
