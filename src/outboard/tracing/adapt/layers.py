"""Linear layers of a model by name, as ``peft`` finds the ones to adapt."""

from typing import Any

import torch
from torch import nn

from outboard.errors import JobError
from outboard.i18n import _

ALL = "all-linear"
# Where nobody names targets: the projections of query and value, as peft takes them, by what architectures call them.
USUAL = (
    ("q_proj", "v_proj"),
    ("query", "value"),
    ("q_lin", "v_lin"),
    ("query_key_value",),
    ("c_attn",),
    ("qkv_proj",),
    ("Wqkv",),
    ("q", "v"),
    ("qkv",),
)


def linear_layers(model: nn.Module) -> dict[str, nn.Module]:
    """Every linear layer but the head that gives out logits, by its name."""
    head = getattr(model, "get_output_embeddings", lambda: None)()
    return {name: module for name, module in model.named_modules() if is_linear(module) and module is not head}


def is_linear(module: nn.Module) -> bool:
    """Whether a module is a matrix product, also in the transposed form of GPT-2, or quantised."""
    return isinstance(module, nn.Linear) or type(module).__name__ in ("Conv1D", "Quantized")


def sizes(module: Any) -> tuple[int, int]:
    """``(inputs, outputs)`` of a linear layer."""
    if not isinstance(getattr(module, "weight", None), torch.Tensor):
        return module.sizes
    rows, columns = module.weight.shape
    return (columns, rows) if isinstance(module, nn.Linear) else (rows, columns)


def chosen(model: nn.Module, targets: str | None) -> list[str]:
    """Names of the layers that ``targets`` means: comma-separated endings, ``all-linear``, or the usual ones."""
    known = linear_layers(model)
    if targets == ALL:
        return list(known)
    wanted = _usual(known) if targets is None else tuple(word.strip() for word in targets.split(",") if word.strip())
    found = [name for name in known if _ends(name, wanted)]
    missing = [word for word in wanted if not any(_ends(name, (word,)) for name in known)]
    if missing or not found:
        message = _("no linear layer is called {missing}; --targets takes {names}, or all-linear")
        endings = ", ".join(dict.fromkeys(name.rsplit(".", 1)[-1] for name in known))
        raise JobError(message.format(missing=", ".join(missing) or _("as usual"), names=endings))
    return found


def _usual(known: dict[str, nn.Module]) -> tuple[str, ...]:
    return next((words for words in USUAL if all(any(_ends(name, (word,)) for name in known) for word in words)), ())


def _ends(name: str, words: tuple[str, ...]) -> bool:
    return any(name == word or name.endswith("." + word) for word in words)


def replace(model: nn.Module, name: str, module: nn.Module) -> None:
    """Put ``module`` where the layer of that name is."""
    parent, _separator, last = name.rpartition(".")
    setattr(model.get_submodule(parent), last, module)
