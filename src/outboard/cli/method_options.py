"""The options that say what of a model is trained, and how."""

import inspect

from outboard.cli import choices, parameters
from outboard.cli.choices import share, whole
from outboard.cli.job_parameters import choice, number
from outboard.i18n import _


def method_options() -> list[inspect.Parameter]:
    """Those of ``Job`` from ``method`` to ``virtual_tokens``."""
    return [
        choice(
            "method", "--method", choices.METHODS, _("Train all weights, adapters beside them, or a prompt."), "full"
        ),
        number("rank", "--rank", "N", whole("--rank"), _("Rank of the adapters.") + " [16]"),
        parameters.option(
            "targets",
            "--targets",
            "NAMES",
            _("Layers that get an adapter: endings of their names with commas, or all-linear; else query and value."),
        ),
        choice(
            "adapter_precision",
            "--adapter-precision",
            choices.ADAPTER_PRECISIONS,
            _("Type of the adapters: fp32 as in peft, or that of the weights."),
            "fp32",
        ),
        number(
            "adapter_dropout",
            "--adapter-dropout",
            "SHARE",
            share("--adapter-dropout"),
            _("Dropout before the adapters.") + " [0]",
        ),
        choice(
            "base_weights",
            "--base-weights",
            choices.BASE_WEIGHTS,
            _("How qlora keeps the frozen weights; dq: scales quantised too."),
            "nf4-dq",
        ),
        number(
            "virtual_tokens",
            "--virtual-tokens",
            "N",
            whole("--virtual-tokens"),
            _("Learned tokens of prompt and prefix tuning.") + " [20]",
        ),
    ]
