"""A trace in a few numbers, for people."""

from typing import Any

from outboard.i18n import _
from outboard.tracing.affine import total
from outboard.tracing.optimizer import attached
from outboard.tracing.peak import peak_bytes
from outboard.types.trace import PHASES, Affine, FloatArray, Trace

_LARGE_BATCHES = (64.0, 128.0)


def describe(trace: Trace) -> dict[str, Any]:
    """Totals of one step as JSON values; what depends on the batch is {"constant": ..., "per_batch": ...}.

    FLOPs count a multiply-add as two; bytes are those that the operators ask for; ``peak_bytes`` is the sum of live
    tensors where it is largest, as a line through two batches so large that activations outweigh the optimizer.
    """
    operators, info = trace.operators, trace.info
    weights = operators.count
    return {
        "workload": info.workload,
        "task": info.task,
        "precision": info.precision,
        "unit": info.unit,
        "parameters": trace.parameter_count(),
        "trainable_parameters": _trainable(trace),
        "operators": int(weights.sum()),
        "distinct_operators": len(operators),
        "kernels": float(weights @ operators.kernels),
        "fused_kernels": float(weights @ operators.fused_kernels),
        "flops": _sum(operators.flops, weights),
        "flops_per_phase": {
            phase: _sum(operators.flops, weights * (operators.phase == index)) for index, phase in enumerate(PHASES)
        },
        "read_bytes": _sum(operators.read, weights),
        "written_bytes": _sum(operators.written, weights),
        "fused_read_bytes": _sum(operators.fused_read, weights),
        "fused_written_bytes": _sum(operators.fused_written, weights),
        "input_bytes": {
            "constant": float(trace.input_bytes.constant.sum()),
            "per_batch": float(trace.input_bytes.per_batch.sum()),
        },
        "peak_bytes": _peak(trace, *_LARGE_BATCHES),
        "optimizer": info.optimizer if attached(trace) else None,
        "not_affine": list(trace.not_affine),
        "not_affine_error": trace.not_affine_error,
        "warnings": list(info.warnings),
    }


def _trainable(trace: Trace) -> int:
    table = trace.parameters
    return int((table.rows * table.columns * table.count)[table.trainable].sum())


def _sum(affine: Affine, weights: FloatArray) -> dict[str, float]:
    constant = total(affine, weights, 0.0)
    return {"constant": constant, "per_batch": total(affine, weights, 1.0) - constant}


def _peak(trace: Trace, low: float, high: float) -> dict[str, float]:
    first, second = peak_bytes(trace.tensors, low), peak_bytes(trace.tensors, high)
    per_batch = (second - first) / (high - low)
    return {"constant": first - per_batch * low, "per_batch": per_batch}


def summary(trace: Trace) -> str:
    """The same in a few lines of text."""
    values = describe(trace)
    flops, peak = values["flops"], values["peak_bytes"]
    lines = [
        f"{values['workload']}: {values['task']}, {values['precision']}"
        + (f", {values['optimizer']}" if values["optimizer"] else ""),
        _("{parameters:.1f} M parameters, {operators} operators in {kernels:.0f} kernels a step").format(
            parameters=values["parameters"] / 1e6, operators=values["operators"], kernels=values["kernels"]
        ),
        _("{flops:.1f} GFLOP per sample").format(flops=flops["per_batch"] / 1e9),
        _("{constant:.2f} GB + {per_batch:.4f} GB per sample at the peak").format(
            constant=peak["constant"] / 1e9, per_batch=peak["per_batch"] / 1e9
        ),
    ]
    if values["not_affine"]:
        lines.append(
            _("not proportional to the batch, up to {error:.0%} off: {names}").format(
                error=values["not_affine_error"], names=", ".join(values["not_affine"])
            )
        )
    return "\n".join(lines)
