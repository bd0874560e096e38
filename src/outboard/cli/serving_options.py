"""The options that say how a language model is served, for every command that asks about it."""

import inspect
from typing import TYPE_CHECKING, Any

from outboard.cli import choices, parameters
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.perf.serving.memory import Workload
    from outboard.planner.serving import Wanted
    from outboard.types.hardware import Place

USUAL = 8192  # tokens of context that people give a chat [tokens]
QUANTISATIONS = (
    *("f16", "q8_0", "q6_k", "q5_k_m", "q5_0", "q4_k_m", "q4_k_s", "q4_0", "iq4_xs", "q3_k_m", "q2_k"),
    *("mxfp4", "fp8", "int8", "awq", "gptq", "nf4", "nf4-dq"),
)
CACHES = ("f16", "q8_0", "q4_0")
WAYS = ("layer", "tensor")
ACCEPTED = 0.7  # of the tokens that a draft proposes; usual for a small model of the same family


def work_options() -> list[inspect.Parameter]:
    """How much is asked of the model at a time."""
    return [
        parameters.option(
            "context",
            "--context",
            "TOKENS",
            _("Tokens of context for each user.") + f" [{USUAL}]",
            choices.whole("--context"),
        ),
        parameters.option(
            "users", "--users", "N", _("How many are served at once.") + " [1]", choices.whole("--users")
        ),
        parameters.option(
            "cache",
            "--cache",
            "|".join(CACHES),
            _("Type of the cache of keys and values.") + " [f16]",
            choices.one_of("--cache", CACHES),
        ),
    ]


def layout_options() -> list[inspect.Parameter]:
    """Where the weights lie."""
    return [
        parameters.option(
            "layers_on_gpu",
            "--layers-on-gpu",
            "N",
            _("Layers on the GPU, the rest on the processor: -ngl of llama.cpp. [all]"),
            choices.whole("--layers-on-gpu", lowest=0),
        ),
        parameters.flag(
            "experts_on_host",
            "--experts-on-host",
            _("The experts of a mixture stay in the host's memory: --cpu-moe of llama.cpp."),
        ),
        parameters.option(
            "host_bandwidth",
            "--host-bandwidth",
            "RATE",
            _("What the host's memory gives, for example '60 GB/s'. [measured here, else assumed]"),
            choices.quantity("--host-bandwidth", "bytes/s"),
        ),
        parameters.option(
            "split",
            "--split",
            "|".join(WAYS),
            _("Several GPUs take layers in turn, or a slice of every matrix each.") + " [layer]",
            choices.one_of("--split", WAYS),
        ),
    ]


def lever_options() -> list[inspect.Parameter]:
    """A smaller model that proposes what the larger one checks."""
    return [
        parameters.option(
            "draft",
            "--draft",
            "MODEL",
            _("A small model that proposes tokens (speculative decoding): how much faster that is."),
        ),
        parameters.option(
            "acceptance",
            "--acceptance",
            "SHARE",
            _("Share of its tokens that are right.") + f" [{ACCEPTED}]",
            choices.share("--acceptance"),
        ),
    ]


def serving_place(on: str) -> "Place":
    """The place that ``--on`` names, this machine for "auto"."""
    from outboard import api
    from outboard.planner.serving.here import AUTO, here

    return here() if on.strip().lower() == AUTO else api.find_place(on)


def workload(how: dict[str, Any]) -> "Workload":
    """What is asked at a time."""
    from outboard.perf.serving.memory import Workload

    return Workload(how["context"] or USUAL, how["users"] or 1, how["cache"] or "f16")


def layout(on: str, how: dict[str, Any]) -> "Wanted":
    """Where the weights are to lie."""
    from outboard.planner.serving import Wanted
    from outboard.planner.serving.here import AUTO, host_bandwidth
    from outboard.types.evidence import Evidence, Fact

    stated = how["host_bandwidth"]
    host = Fact(stated, "B/s", _("stated by the person"), Evidence.MEASURED_HERE) if stated else None
    if host is None and on.strip().lower() == AUTO:
        host = host_bandwidth()
    return Wanted(how["layers_on_gpu"], how["experts_on_host"] or False, how["split"] or "layer", host)
