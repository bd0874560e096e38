"""Matrix products by precision and size, memory bandwidth, and what is left of the rate after a minute."""

import time

from outboard.probe.measure.host import per_second
from outboard.probe.measure.timing import Timed, summary, synchronise, timed
from outboard.types.measured import Figure

SIZES = {"cpu": (256, 512, 1024), "other": (1024, 4096, 8192)}
PRECISIONS = ("fp32", "bf16", "fp16")
DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
SLOW = 0.1  # a type below this share of fp32 is emulated element by element: its larger sizes are left out
COPIED = {"cpu": 2**27, "other": 2**30}  # bytes: far more than any cache [B]


def products(device: str, patience: float) -> list[Figure]:
    """``matmul.PRECISION.SIZE`` and their best, ``matmul.PRECISION`` [FLOP/s]."""
    import torch

    found: list[Figure] = []
    for precision in PRECISIONS:
        best: list[Figure] = []
        for size in SIZES["cpu" if device == "cpu" else "other"]:
            a = torch.randn(size, size, device=device).to(getattr(torch, DTYPES[precision]))
            took = timed(lambda a=a: a @ a, device, patience, least=3)
            best.append(per_second(f"matmul.{precision}.{size}", 2.0 * size**3, took, "FLOP/s"))
            fp32 = max((one.value for one in found if one.name == "matmul.fp32"), default=0.0)
            if best[-1].value < SLOW * fp32:
                break
        top = max(best, key=lambda one: one.value)
        found += [*best, Figure(f"matmul.{precision}", top.value, top.low, top.high, top.unit, top.repetitions)]
    return found


def memory(device: str, patience: float) -> list[Figure]:
    """``memory.bandwidth`` [B/s]: a copy within the memory, read and written bytes together."""
    import torch

    size = COPIED["cpu" if device == "cpu" else "other"]
    source = torch.ones(size // 4, device=device)
    target = torch.empty_like(source)
    took = timed(lambda: target.copy_(source), device, patience)
    return [per_second("memory.bandwidth", 2.0 * size, took, "B/s")]


def sustained(device: str, seconds: float) -> list[Figure]:
    """``sustained.fp32`` [1]: rate in the last fifth of ``seconds`` over that in the first; 1 without throttling."""
    import torch

    size = SIZES["cpu" if device == "cpu" else "other"][-1]
    a = torch.randn(size, size, device=device)
    taken: list[float] = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until or len(taken) < 10:
        start = time.perf_counter()
        a @ a  # pyright: ignore[reportUnusedExpression]
        synchronise(device)
        taken.append(time.perf_counter() - start)
    fifth = len(taken) // 5
    first, last = summary(taken[:fifth]), summary(taken[-fifth:])
    return [_ratio(first, last, len(taken))]


def _ratio(first: Timed, last: Timed, count: int) -> Figure:
    value = first.seconds / last.seconds
    return Figure(
        "sustained.fp32", value, min(value, first.low / last.high), max(value, first.high / last.low), "1", count
    )
