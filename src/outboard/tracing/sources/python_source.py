"""``python:FILE.py:FUNCTION``: a model of the person's own.

The function returns ``(model, batch)``, ``(model, batch, loss)``, ``(model, batch, loss, optimizer)`` or a dict with
those keys. ``batch`` is what the model is called with: a tensor, a dict of keyword arguments, or ``(inputs, targets)``;
its first dimension counts samples. ``loss`` takes the model's output and the targets. A function with a parameter
``batch_size`` is called with one. The file is executed, so it is only ever opened in a process of its own (see
``outboard.tracing.isolated``).
"""

import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from outboard.errors import FileError, MissingExtraError
from outboard.i18n import _
from outboard.tracing.recipes import OPTIMIZERS
from outboard.tracing.sources.base import Batch, Built, nearest
from outboard.types.job import Job

try:
    import torch
    from torch import nn
except ImportError as error:
    raise MissingExtraError("torch", "models", _("tracing a model")) from error

from outboard.tracing.sources import losses
from outboard.tracing.sources.skeleton import no_initialisation

EXAMPLE_BATCH = 8
KEYS = ("model", "batch", "loss", "optimizer")
RIGHT = "return model, batch  |  model, batch, loss  |  model, batch, loss, optimizer"


def build(name: str, job: Job) -> Built:
    """The model that a function of the person's file returns."""
    path, function_name = locate(name)
    function = _function(path, function_name)
    options = {"batch_size": EXAMPLE_BATCH} if "batch_size" in inspect.signature(function).parameters else {}
    with no_initialisation():
        made = _call(path, function_name, lambda: function(**options))
    parts = _parts(path, function_name, made)
    example = _example(path, function_name, parts["batch"], parts.get("loss") is not None)
    size = _batch_size(path, function_name, example)
    model = parts["model"]
    checkpoint = getattr(model, "gradient_checkpointing_enable", None) or getattr(model, "set_grad_checkpointing", None)
    optimizer = _optimizer_name(parts.get("optimizer"))
    return Built(
        model=model,
        make_batch=lambda batch: _resized(example, size, batch),
        loss=parts.get("loss") or _own_loss,
        unit="samples",
        checkpoint=checkpoint,
        warnings=_unknown_optimizer(optimizer),
        versions={"torch": torch.__version__},
        optimizer=optimizer if optimizer in OPTIMIZERS else None,
    )


def locate(name: str) -> tuple[Path, str]:
    """File and function of ``FILE.py:FUNCTION``."""
    file, _separator, function = name.rpartition(":")
    if not file or not function.isidentifier():
        raise FileError(f"python:{name}", _("no function is named"), right="python:FILE.py:FUNCTION")
    path = Path(file)
    if not path.is_file():
        raise FileError(path, _("there is no such file"), right="python:FILE.py:FUNCTION")
    return path, function


def _function(path: Path, name: str) -> Callable[..., Any]:
    spec = importlib.util.spec_from_file_location("outboard_workload", path)
    if spec is None or spec.loader is None:
        raise FileError(path, _("not a Python file"))
    module = importlib.util.module_from_spec(spec)
    # As if the person ran the file: its neighbours can be imported, and dataclasses find their module.
    sys.path.insert(0, str(path.parent.resolve()))
    sys.modules[spec.name] = module
    _call(path, "", lambda: spec.loader.exec_module(module))  # type: ignore[union-attr]
    function = getattr(module, name, None)
    if not callable(function):
        known = [key for key, value in vars(module).items() if inspect.isfunction(value)]
        found = ", ".join(nearest(name, known) or known) or _("no functions")
        raise FileError(
            path, _("no function '{name}'").format(name=name), right=_("it has: {found}").format(found=found)
        )
    return function


def _call(path: Path, function: str, action: Callable[[], Any]) -> Any:
    """Run the person's code; whatever it raises, even an exit, becomes one line that says where."""
    try:
        return action()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise FileError(path, _raised(error, path), key=f"{function}()" if function else "") from error


def _raised(error: BaseException, path: Path) -> str:
    line = next(
        (frame.lineno for frame in reversed(inspect.getinnerframes(error.__traceback__)) if frame.filename == str(path))
        if error.__traceback__
        else iter(()),
        None,
    )
    reason = (str(error) or "-").splitlines()[0]
    where = _(" in line {line}").format(line=line) if line else ""
    return _("raises {kind}{where}: {reason}").format(kind=type(error).__name__, where=where, reason=reason)


def _parts(path: Path, function: str, made: Any) -> dict[str, Any]:
    parts = made if isinstance(made, dict) else dict(zip(KEYS, made, strict=False)) if isinstance(made, tuple) else {}
    unknown = [key for key in parts if key not in KEYS]
    if unknown or not isinstance(parts.get("model"), nn.Module) or "batch" not in parts:
        problem = (
            _("unknown key '{key}'").format(key=unknown[0])
            if unknown
            else _("returns {kind}, not a model and a batch").format(kind=type(made).__name__)
        )
        raise FileError(path, problem, key=f"{function}()", right=RIGHT)
    loss, optimizer = parts.get("loss"), parts.get("optimizer")
    # (model, batch, optimizer) is as natural as (model, batch, loss).
    if isinstance(loss, torch.optim.Optimizer):
        loss, optimizer = (optimizer if callable(optimizer) else None), loss
    return {**parts, "loss": loss, "optimizer": optimizer}


def _example(path: Path, function: str, batch: Any, judged: bool) -> Batch:
    if isinstance(batch, torch.Tensor):
        return Batch((batch,))
    if isinstance(batch, dict):
        return Batch((), dict(batch))
    if isinstance(batch, (tuple, list)) and len(batch) == 2:
        inputs, targets = batch
        if isinstance(inputs, dict):
            return Batch((), dict(inputs), targets)
        return Batch(tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,), {}, targets)
    if isinstance(batch, (tuple, list)) and not judged:
        return Batch(tuple(batch))
    raise FileError(
        path,
        _("its batch is a {kind}").format(kind=type(batch).__name__),
        key=f"{function}()",
        right=_("a tensor, a dict of keyword arguments, or (inputs, targets)"),
    )


def _batch_size(path: Path, function: str, example: Batch) -> int:
    sizes = [tensor.shape[0] for tensor in _tensors([example.args, example.kwargs]) if tensor.dim()]
    if not sizes or not sizes[0]:
        raise FileError(path, _("its batch holds no tensor with samples"), key=f"{function}()", right=RIGHT)
    return sizes[0]


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [tensor for item in value for tensor in _tensors(item)] if isinstance(value, (list, tuple)) else []


def _resized(example: Batch, size: int, batch: int) -> Batch:
    """The example with ``batch`` samples: every tensor whose first dimension counts them is made anew."""

    def resize(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            counts = value.dim() > 0 and value.shape[0] == size
            shape = (batch, *value.shape[1:]) if counts else tuple(value.shape)
            return torch.empty(shape, dtype=value.dtype)
        if isinstance(value, dict):
            return {key: resize(item) for key, item in value.items()}
        return type(value)(resize(item) for item in value) if isinstance(value, (list, tuple)) else value

    return Batch(resize(example.args), resize(example.kwargs), resize(example.targets))


def _own_loss(output: Any, targets: Any) -> torch.Tensor:
    """Without a loss of the person's: the model's own, cross-entropy for class numbers, else mean square."""
    own = output.get("loss") if isinstance(output, dict) else getattr(output, "loss", None)
    if isinstance(own, torch.Tensor):
        return own
    if isinstance(targets, torch.Tensor) and targets.dtype == torch.int64:
        return losses.cross_entropy(output, targets)
    return losses.mean_square(output, targets)


def _optimizer_name(optimizer: Any) -> str | None:
    """What the person's optimizer is called here; None where they brought none."""
    if optimizer is None:
        return None
    kind = type(optimizer).__name__.lower()
    if kind == "sgd" and optimizer.defaults.get("momentum"):
        return "momentum"
    return {"adamw8bit": "adamw-8bit", "pagedadamw8bit": "adamw-8bit"}.get(kind, kind)


def _unknown_optimizer(name: str | None) -> list[str]:
    if name is None or name in OPTIMIZERS:
        return []
    message = _("no recipe for the optimizer {name}: adamw is forecast instead; choose another with --optimizer")
    return [message.format(name=name)]
