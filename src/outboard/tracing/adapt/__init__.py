"""What a method of fine-tuning makes of a model: frozen weights, quantised weights, adapters beside them, prompts.

Built here from plain modules that allocate and save what ``peft`` and ``bitsandbytes`` do, so that neither is needed
and everything runs under fake tensors; tests hold the results against ``peft`` where it is installed.
"""

from typing import TYPE_CHECKING

from outboard.errors import JobError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.tracing.sources.base import Built
    from outboard.types.job import Job


def apply(built: "Built", job: "Job") -> None:
    """Change ``built`` in place as ``job.method`` and ``job.loss`` ask; by default nothing changes."""
    own_loss = job.loss != "plain" and job.task != "infer"
    if job.method == "full" and not own_loss:
        return
    from outboard.tracing.adapt import fused_loss

    if job.method == "full":
        fused_loss.add(built, job)
        return
    from outboard.tracing.adapt import lora, prompts, quantized

    model = built.model
    model.requires_grad_(False)
    if job.method == "qlora":
        quantized.quantize(model, job)
    if job.task == "infer":
        return  # adapters are merged into the weights, or small beside them
    if job.method in ("lora", "qlora"):
        lora.add(model, job)
    if own_loss:
        fused_loss.add(built, job)
    if job.method in ("prompt", "prefix"):
        prompts.add(built, job)
    if job.grad_checkpointing:
        _inputs_require_gradients(built, job)


def _inputs_require_gradients(built: "Built", job: "Job") -> None:
    """What ``enable_input_require_grads`` does: else a checkpointed layer of frozen weights would have no backward."""
    embeddings = getattr(built.model, "get_input_embeddings", lambda: None)()
    if embeddings is None:
        message = _("{workload} has no token embeddings, which {method} with checkpointing needs")
        raise JobError(message.format(workload=job.workload, method=job.method))
    embeddings.register_forward_hook(lambda module, inputs, output: output.requires_grad_(True))
