"""What torch does otherwise on CUDA than on the CPU, put in place while a step is recorded."""

import contextlib
from collections.abc import Iterator

import torch

from outboard.tracing.recorder.cuda import attention, autocast, dropout, random_state
from outboard.types.job import Job


@contextlib.contextmanager
def as_on_cuda(job: Job) -> Iterator[None]:
    """Operators decompose as they do on CUDA."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(dropout.fused())
        stack.enter_context(attention.patched(job.attention, job.precision))
        stack.enter_context(random_state.left_alone())
        if job.precision in autocast.DTYPES:
            stack.enter_context(autocast.cuda_lists())
        yield


def autocast_region(job: Job) -> "contextlib.AbstractContextManager[object]":
    """The region that a training loop puts around its forward pass."""
    dtype = autocast.DTYPES.get(job.precision)
    return torch.autocast("cpu", dtype=dtype) if dtype else contextlib.nullcontext()
