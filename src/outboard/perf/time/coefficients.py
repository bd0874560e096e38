"""The fitted constants of the time model, read from ``coefficients.toml``."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path

PATH = Path(__file__).with_name("coefficients.toml")


@dataclass(frozen=True)
class Coefficients:
    """One number each; meanings, ranges and provenance are in ``coefficients.toml``, the field of the same name."""

    arithmetic_tensor: float
    arithmetic_vector: float
    convolution_tensor: float
    winograd: float
    convolution_double: float
    grouped: float
    ceiling_norm: float
    attention_arithmetic: float
    backward_arithmetic: float
    depthwise_arithmetic: float
    depthwise_backward: float
    depthwise_last: float
    tail_waves: float
    tile_side: float
    tile_depth: float
    l2_bytes_per_cycle: float
    l2_residency: float
    nchw_conversion: float
    memory_stream: float
    memory_copy: float
    fused_traffic: float
    fused_copies: float
    memory_ecc: float
    memory_matmul: float
    memory_norm: float
    memory_norm_backward: float
    memory_batch_norm: float
    memory_batch_norm_backward: float
    batch_norm_last: float
    memory_backward: float
    grouped_fallback: float
    cycle_stream: float
    cycle_copy: float
    cycle_reduction: float
    cycle_norm: float
    batch_norm_blocks: float
    memory_softmax: float
    memory_gather: float
    memory_depthwise: float
    kernel_floor: float
    issue_eager: float
    issue_autograd: float
    issue_backward: float
    issue_old: float
    issue_compiled: float
    step_overhead: float
    half_emulation: float
    amd_arithmetic: float
    amd_memory: float
    geforce_clock: float
    host_bandwidth: float

    def with_values(self, changes: Mapping[str, float]) -> "Coefficients":
        """A copy with some values replaced, as the fit needs."""
        return replace(self, **dict(changes))


def table() -> dict[str, dict[str, object]]:
    """The whole file: name -> value, range, unit, meaning, evidence, provenance."""
    with PATH.open("rb") as file:
        return tomllib.load(file)


@cache
def load() -> Coefficients:
    """The coefficients that ship."""
    entries = table()
    values = {name: entry["value"] for name, entry in entries.items()}
    names = {item.name for item in fields(Coefficients)}
    if set(values) != names:
        raise ValueError(f"{PATH.name}: names differ from the model's: {sorted(set(values) ^ names)}")
    return Coefficients(**{name: float(str(value)) for name, value in values.items()})
