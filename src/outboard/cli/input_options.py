"""The options that say how batches come about, what interrupts the loop, and how devices share the work."""

import inspect

from outboard.cli import choices
from outboard.cli.choices import quantity, whole
from outboard.cli.job_parameters import choice, number, switch
from outboard.i18n import _


def input_options() -> list[inspect.Parameter]:
    """Those of ``Job`` from ``pinned`` to ``parallel``."""
    return [
        switch("pinned", "--pinned/--pageable", _("Batches wait in pinned memory.") + " [pinned]"),
        choice(
            "input_kind",
            "--input-kind",
            choices.INPUT_KINDS,
            _("What samples are stored as; ready: batches wait, and no pipeline limits the step."),
            "ready",
        ),
        number("sample_bytes", "--sample-bytes", "SIZE", quantity("--sample-bytes", "bytes"), _("Stored size of one.")),
        choice("decoder", "--decoder", choices.DECODERS, _("What decodes images."), "pillow"),
        choice("augment", "--augment", choices.AUGMENTS, _("What workers do to each image."), "crop"),
        number(
            "workers",
            "--workers",
            "N",
            whole("--workers", lowest=0),
            _("Worker processes for each device; else as many as have a core."),
        ),
        number("prefetch", "--prefetch", "N", whole("--prefetch"), _("Batches that each worker has ready.") + " [2]"),
        *_pauses(),
        choice("parallel", "--parallel", choices.PARALLELS, _("How several devices share the work."), "ddp"),
    ]


def _pauses() -> list[inspect.Parameter]:
    steps = _("Optimizer steps between checkpoints; else none.")
    return [
        number(
            "syncs",
            "--syncs",
            "N",
            whole("--syncs", lowest=0),
            _("Times a step waits for the device: loss.item().") + " [0]",
        ),
        number("checkpoint_every", "--checkpoint-every", "STEPS", whole("--checkpoint-every"), steps),
        number(
            "evaluate_every",
            "--evaluate-every",
            "STEPS",
            whole("--evaluate-every"),
            _("Optimizer steps between evaluations; else none."),
        ),
        number(
            "evaluate_batches",
            "--evaluate-batches",
            "N",
            whole("--evaluate-batches"),
            _("Batches of each evaluation.") + " [100]",
        ),
        number(
            "evaluate_batch",
            "--evaluate-batch",
            "N",
            whole("--evaluate-batch"),
            _("Samples of a batch of evaluation, on each device; else as in training."),
        ),
    ]
