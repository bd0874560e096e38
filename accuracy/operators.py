"""Tables of operators timed alone: linear layers, batched products, convolutions, elementwise."""

from pathlib import Path

import numpy as np
import pandas as pd

from accuracy.hardware import device_arrays
from accuracy.observations import Observations
from outboard.perf.time.columns import DTYPE, KIND, Columns
from outboard.types.trace import FloatArray, IntArray

# Below this the timing itself dominates [s].
SHORTEST = 1.5e-4
ELEMENTWISE = {"relu": ("elementwise", 1), "gelu": ("elementwise", 1), "tanh": ("elementwise", 1)} | dict.fromkeys(
    ("add", "mul", "div", "pow"), ("elementwise", 2)
)
KINDS_OF = {**ELEMENTWISE, "ln": ("norm", 1), "softmax": ("softmax", 1)}
GPUS = ("v100-pcie-32gb", "t4", "p4", "a100-pcie-40gb")


def load(folder: Path, gpu: str, table: str, rows: int = 400) -> Observations | None:
    """At most ``rows`` measurements of one table on one GPU, spread over the range of latencies."""
    data = pd.read_csv(folder / f"operators_{table}.csv")
    data = data[(data.gpu == gpu) & (data.latency_ms > SHORTEST * 1e3)].sort_values("latency_ms")
    if data.empty:
        return None
    data = data.iloc[np.unique(np.linspace(0, len(data) - 1, rows).astype(int))]
    cols = {"linear": _products, "bmm": _products, "conv": _convolutions, "elementwise": _streams}[table](data)
    names = data["op"].tolist()
    flags = np.zeros(len(data), dtype=np.bool_)
    labels = tuple({"gpu": gpu, "table": table, "op": str(name)} for name in names)
    measured = data.latency_ms.to_numpy(dtype=np.float64) * 1e-3
    return Observations(device_arrays(gpu), cols, np.arange(len(data)), measured, labels, flags, flags, alone=True)


def load_half(folder: Path) -> Observations:
    """fp16 products on an A100: single ones, and linear layers of language models by number of tokens."""
    single = pd.read_csv(folder / "operators_fp16.csv")
    single = single[(single.gpu == "A100") & (single.op == "matmul")]
    layers = pd.read_csv(folder / "operators_llm_layers.csv").iloc[::3]
    head, width, wide, tp = (
        layers.n_embd / layers.n_head,
        layers.n_embd,
        layers.n_expanded_embd,
        layers.num_tensor_parallel_workers,
    )
    tables = [single[["m", "n", "k", "latency_ms"]]]
    for column, n, k in (
        ("attn_pre_proj_ms", (layers.n_head + 2 * layers.n_kv_head) * head / tp, width),
        ("attn_post_proj_ms", width, width / tp),
        ("mlp_down_proj_ms", width, wide / tp),
    ):
        tables.append(pd.DataFrame({"m": layers.num_tokens, "n": n, "k": k, "latency_ms": layers[column]}))
    data = pd.concat(tables).assign(b=1.0)
    data = data[data.latency_ms > SHORTEST * 1e3]
    flags = np.zeros(len(data), dtype=np.bool_)
    labels = ({"gpu": "a100", "table": "fp16", "op": "matmul"},) * len(data)
    cols = _products(data, "fp16", 2.0)
    measured = data.latency_ms.to_numpy(dtype=np.float64) * 1e-3
    return Observations(
        device_arrays("a100-sxm4-80gb"), cols, np.arange(len(data)), measured, labels, flags, flags, True
    )


def _products(data: pd.DataFrame, dtype: str = "fp32", itemsize: float = 4.0) -> Columns:
    b, m, n, k = (_column(data, name) for name in "bmnk")
    shape = {"m": m, "n": n, "k": k, "g": b}
    flops = 2 * b * m * n * k
    return _columns(KIND["matmul"], b * (m * k + k * n), b * m * n, dtype, itemsize, flops=flops, **shape)


def _convolutions(data: pd.DataFrame) -> Columns:
    b, size = _column(data, "b"), _column(data, "input_size")
    channels, filters = _column(data, "input_channel"), _column(data, "output_channel")
    taps = _column(data, "kernel_szie") ** 2
    pixels = b * size**2
    return _columns(
        KIND["conv"],
        pixels * channels + channels * filters * taps,
        pixels * filters,
        flops=2 * pixels * filters * channels * taps,
        m=pixels,
        n=filters,
        k=channels * taps,
        g=np.ones_like(b),
        taps=taps,
        image=size**2,
    )


def _streams(data: pd.DataFrame) -> Columns:
    elements = _column(data, "b") * _column(data, "h")
    found = [
        KINDS_OF.get(str(name).removesuffix("u"), KINDS_OF.get(str(name), ("elementwise", 1))) for name in data["op"]
    ]
    reads = np.array([float(count) for _, count in found])
    # "addu" and the like combine a tensor with one number.
    reads = np.where(data["op"].isin(["addu", "mulu", "divu", "powu"]), 1.0, reads)
    kinds = np.array([KIND[kind] for kind, _ in found])
    return _columns(kinds, reads * elements, elements, flops=elements, m=_column(data, "b"), n=_column(data, "h"))


def _columns(
    kind: int | IntArray,
    read: FloatArray,
    written: FloatArray,
    dtype: str = "fp32",
    itemsize: float = 4.0,
    *,
    flops: FloatArray,
    **shape: FloatArray,
) -> Columns:
    """One operator per row; ``read`` and ``written`` in elements."""
    size = len(read)
    one = np.ones(size)
    column = {name: shape.get(name, one)[:, None] for name in "mnkg"}
    return Columns(
        kind=np.broadcast_to(np.asarray(kind), (size,)).copy(),
        phase=np.zeros(size, dtype=np.int64),
        dtype=np.full(size, DTYPE[dtype]),
        count=one,
        kernels=one,
        taps=shape.get("taps", one),
        stride=one,
        fused=np.zeros(size),
        converted=np.zeros(size),
        batch_norm=np.zeros(size),
        last=np.zeros(size),
        mixed=np.zeros(size),
        old=np.zeros(size),
        image=shape.get("image", one),
        missing=np.zeros(size),
        flops=flops[:, None],
        read=read[:, None] * itemsize,
        written=written[:, None] * itemsize,
        **column,
    )


def _column(data: pd.DataFrame, name: str) -> FloatArray:
    return data[name].to_numpy(dtype=np.float64)
