"""Precisions that differ in name only: the same operators move the same bytes, and only the type's label changes.

fp16 and bf16 are both two bytes wide and autocast treats the same operators in both; tf32 is fp32 in memory, and only
products and convolutions compute in it. So one of each pair is traced and shipped, and the other is made from it.
"""

from dataclasses import replace

import numpy as np

from outboard.types.trace import DTYPES, KINDS, Trace

_TWINS = {
    "fp16": "bf16",
    "bf16": "fp16",
    "amp-fp16": "amp-bf16",
    "amp-bf16": "amp-fp16",
    "fp32": "tf32",
    "tf32": "fp32",
}
_TF32_KINDS = ("matmul", "conv", "depthwise")


def twin(precision: str) -> str | None:
    """The precision whose trace can be relabelled to this one, if there is one."""
    return _TWINS.get(precision)


def relabel(trace: Trace, precision: str) -> Trace:
    """The trace at the twin of its precision, or unchanged at its own. Raises ValueError for any other precision."""
    held = trace.info.precision
    if held == precision:
        return trace
    if twin(held) != precision:
        raise ValueError(f"{held} is not {precision} by another name")
    old, new = (name.removeprefix("amp-") for name in (held, precision))
    changed = trace.operators.dtype == DTYPES.index(old)
    if "tf32" in (old, new):
        computes = [index for index, kind in enumerate(KINDS) if kind.startswith(_TF32_KINDS)]
        changed &= np.isin(trace.operators.kind, computes)
    dtype = np.where(changed, DTYPES.index(new), trace.operators.dtype)
    return replace(
        trace, info=replace(trace.info, precision=precision), operators=replace(trace.operators, dtype=dtype)
    )
