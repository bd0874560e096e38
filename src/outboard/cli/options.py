"""The options that describe a job, shared by every command that takes a workload."""

import inspect
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from outboard.cli import choices, input_options, method_options, output, parameters
from outboard.cli.choices import whole
from outboard.cli.job_parameters import choice, number, switch
from outboard.i18n import _


def workload_argument() -> inspect.Parameter:
    """The workload, or a trace saved earlier."""
    text = _(
        "zoo:NAME, timm:NAME, torchvision:NAME, hf:PATH of a config.json or its folder, python:FILE.py:FUNCTION, "
        "the FILE that outboard trace wrote, or gguf:FILE to serve."
    )
    return parameters.argument("workload", "WORKLOAD", text)


def recording(workload: str) -> AbstractContextManager[object]:
    """What to show while a workload is read: nothing for traces that exist, which take no time."""
    if workload.startswith("zoo:") or workload.endswith(".trace"):
        return nullcontext()
    return output.waiting(_("Recording {workload} on the CPU, once").format(workload=workload))


def job_options() -> list[inspect.Parameter]:
    """Every field of a job but the workload, in the order of ``types.job.Job``. All are None when not given."""
    return [*_what(), *_how(), *method_options.method_options(), *_loop()]


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Only the options that were given: the job's own defaults stand for the rest."""
    return {name: value for name, value in options.items() if value is not None}


def _what() -> list[inspect.Parameter]:
    return [
        choice("task", "--task", choices.TASKS, _("What to do with the model."), "train"),
        choice("precision", "--precision", choices.PRECISIONS, _("Number types of weights and arithmetic."), "fp32"),
        number("batch_size", "--batch", "N|auto", whole("--batch", also=("auto",)), _batch_help()),
        number("image_size", "--image-size", "PIXELS", whole("--image-size"), _("Height and width of the images.")),
        number("seq_len", "--seq-len", "TOKENS", whole("--seq-len"), _("Tokens in each sequence.")),
    ]


def _batch_help() -> str:
    return (
        _("Samples in each step on each device; auto takes the smallest safe one that is about as fast as any.")
        + " [auto]"
    )


def _how() -> list[inspect.Parameter]:
    return [
        choice("optimizer", "--optimizer", choices.OPTIMIZERS, _("How the weights are updated."), "adamw"),
        choice("memory_format", "--memory-format", choices.MEMORY_FORMATS, _("Layout of images in memory."), "nchw"),
        choice("attention", "--attention", choices.ATTENTIONS, _("Fused attention, or operator by operator."), "sdpa"),
        switch(
            "padded", "--padded/--unpadded", _("Sequences are padded to one length, with a mask; --task finetune is.")
        ),
        choice(
            "loss",
            "--loss",
            choices.LOSSES,
            _("Loss of language models: over all logits, over pieces of them, or fused with the head."),
            "plain",
        ),
        switch("grad_checkpointing", "--grad-checkpointing", _("Compute activations again instead of keeping them.")),
        number(
            "grad_accumulation",
            "--grad-accumulation",
            "N",
            whole("--grad-accumulation"),
            _("Batches for each step of the optimizer.") + " [1]",
        ),
        switch("compiled", "--compiled", _("The model goes through torch.compile.")),
        choice("software", "--software", choices.SOFTWARE, _("Libraries of today, or of PyTorch 1."), "current"),
    ]


def _loop() -> list[inspect.Parameter]:
    return [
        choice(
            "input_copy",
            "--input-copy",
            choices.INPUT_COPIES,
            _("Input already on the device, copied before each step, or copied during the last one."),
            "serial",
        ),
        choice("input_type", "--input-type", choices.INPUT_TYPES, _("What images travel as."), "model"),
        *input_options.input_options(),
        choice(
            "gradients_released",
            "--gradients-released",
            choices.GRADIENTS_RELEASED,
            _("When the loop frees the gradients of the last step."),
            "never",
        ),
        choice(
            "offload",
            "--offload",
            choices.OFFLOADS,
            _("What waits in the host's memory: the optimizer's states, or all."),
            "none",
        ),
        choice(
            "allocator",
            "--allocator",
            choices.ALLOCATORS,
            _(
                "How the allocator keeps memory; expandable: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; "
                "emptied: torch.cuda.empty_cache() after each step."
            ),
            "default",
        ),
        switch("output_held", "--output-held/--output-freed", _("The model's output is kept during the update.")),
    ]
