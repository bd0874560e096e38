"""What torch does otherwise on CUDA than on the CPU, put in place while a step is recorded."""

import contextlib
from collections.abc import Iterator

import torch

from outboard.tracing.recorder.cuda import attention, autocast, dropout, random_state, recurrent, rms_norm, softmax
from outboard.types.job import Job


@contextlib.contextmanager
def as_on_cuda(job: Job) -> Iterator[None]:
    """Operators decompose as they do on CUDA."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(dropout.fused())
        stack.enter_context(attention.patched(job.attention, job.precision))
        stack.enter_context(random_state.left_alone())
        stack.enter_context(recurrent.fused())
        stack.enter_context(rms_norm.fused())
        stack.enter_context(softmax.fused())
        # Always: a model may have regions of its own.
        stack.enter_context(autocast.cuda_lists())
        stack.enter_context(autocast.named_cuda())
        yield


def autocast_region(job: Job) -> "contextlib.AbstractContextManager[object]":
    """The region that a training loop puts around its forward pass."""
    dtype = autocast.DTYPES.get(job.precision)
    return torch.autocast("cpu", dtype=dtype) if dtype else contextlib.nullcontext()
