"""A built model made ready: fake tensors of the job's type in place of its weights, and the job's mode."""

from typing import Any

import torch
from torch import nn

from outboard.errors import JobError
from outboard.i18n import _
from outboard.tracing import adapt
from outboard.tracing.recorder.runner import Runner
from outboard.tracing.sources.base import Built
from outboard.types.job import Job

_PURE = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp64": torch.float64}


def prepare(built: Built, job: Job, runner: Runner) -> None:
    """Change ``built.model`` in place."""
    adapt.apply(built, job)
    model = built.model
    model.train(job.task != "infer")
    if job.grad_checkpointing and job.task != "infer":
        _checkpoint(built, job)
    _replace_tensors(model, job, runner)


def _checkpoint(built: Built, job: Job) -> None:
    try:
        if built.checkpoint is not None:
            built.checkpoint()
            return
    except (AssertionError, ValueError, NotImplementedError):
        pass
    raise JobError(
        _("{workload} has no gradient checkpointing; models of timm: and hf: mostly have it").format(
            workload=job.workload
        )
    )


def _replace_tensors(model: nn.Module, job: Job, runner: Runner) -> None:
    # Originals are kept until the end, so that no two have the same id; tied tensors stay tied.
    done: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def twin(original: torch.Tensor) -> Any:
        if id(original) not in done:
            replacement = runner.fake(_twin(original, job))
            if isinstance(original, nn.Parameter):
                replacement.requires_grad_(original.requires_grad)
                replacement._is_param = True  # what makes it a parameter to torch; its constructor would copy
            done[id(original)] = (original, replacement)
        return done[id(original)][1]

    for module in model.modules():
        for tensors in (module._parameters, module._buffers):
            tensors.update({name: twin(tensor) for name, tensor in tensors.items() if tensor is not None})


def _twin(tensor: torch.Tensor, job: Job) -> torch.Tensor:
    dtype = tensor.dtype if getattr(tensor, "own_type", False) else cast_to(tensor.dtype, job)
    channels_last = job.memory_format == "nhwc" and tensor.dim() == 4
    return torch.empty(
        tensor.shape,
        dtype=dtype,
        device="meta",
        memory_format=torch.channels_last if channels_last else torch.contiguous_format,
    )


def cast_to(dtype: torch.dtype, job: Job) -> torch.dtype:
    """The type that a tensor of ``dtype`` has in this job, outside autocast."""
    return _PURE.get(job.precision, dtype) if dtype.is_floating_point else dtype


def cast_batch(value: Any, job: Job) -> Any:
    """The same for what the model is fed with, at any depth of lists and dicts."""
    if isinstance(value, torch.Tensor):
        value = value.to(cast_to(value.dtype, job))
        if job.memory_format == "nhwc" and value.dim() == 4:
            value = value.contiguous(memory_format=torch.channels_last)
        return value
    if isinstance(value, (list, tuple)):
        return type(value)(cast_batch(item, job) for item in value)
    if isinstance(value, dict):
        return {key: cast_batch(item, job) for key, item in value.items()}
    return value
