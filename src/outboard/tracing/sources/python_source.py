"""``python:FILE.py:FUNCTION``: a person's own training step, built by their own code. See ``examples/my_step.py``.

The code runs in this process: :mod:`outboard.tracing` calls this in a process of its own.
"""

import contextlib
import importlib.util
import inspect
import io
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from outboard.errors import FileError
from outboard.i18n import _
from outboard.tracing.recipes import OPTIMIZERS
from outboard.tracing.sources import losses
from outboard.tracing.sources.base import Batch, Built, nearest
from outboard.tracing.sources.skeleton import no_initialisation
from outboard.types.job import Job

_EXAMPLE_BATCH = 2


@dataclass
class Step:
    """What the function returned."""

    model: torch.nn.Module
    batch: Any
    optimizer: Any = None
    loss: Callable[..., Any] | None = None


def build(name: str, job: Job) -> Built:
    """Run the function and describe what it returned."""
    file, _colon, function = name.rpartition(":")
    if not file:
        raise FileError(name, _("no function named"), "", _("write python:FILE.py:FUNCTION"))
    path = Path(file).expanduser()
    make = _load(path, function)
    sized = "batch_size" in inspect.signature(make).parameters

    def call(batch: int) -> Step:
        return _call(path, function, lambda: make(batch_size=batch) if sized else make())

    step = call(_EXAMPLE_BATCH)
    example = _EXAMPLE_BATCH if sized else _first_dimension(step.batch)

    def make_batch(batch: int) -> Batch:
        # The function makes real tensors, which the modes that are active here must not see.
        with _disable_current_modes():
            found = call(batch).batch if sized else step.batch
        return _batch(_resized(found, batch if sized else example, batch))

    return Built(
        model=step.model,
        make_batch=make_batch,
        loss=_loss(step),
        unit="samples",
        checkpoint=getattr(step.model, "gradient_checkpointing_enable", None),
        warnings=_warnings(step, function, sized),
        versions={"torch": torch.__version__},
        optimizer=_optimizer_name(step.optimizer),
    )


def _load(path: Path, function: str) -> Callable[..., Any]:
    if not path.is_file():
        raise FileError(path, _("no such file"))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise FileError(path, _("is no Python file"))
    module = importlib.util.module_from_spec(spec)
    loader = spec.loader
    sys.path.insert(0, str(path.resolve().parent))
    sys.modules[path.stem] = module
    _guarded(path, _("the file"), lambda: loader.exec_module(module))
    found = getattr(module, function, None)
    if not callable(found):
        names = [key for key, value in vars(module).items() if inspect.isfunction(value)]
        near = nearest(function, names) or names
        raise FileError(path, _("no function '{name}'").format(name=function), "", ", ".join(near))
    return found


def _guarded(path: Path, what: str, action: Callable[[], Any]) -> Any:
    """Run foreign code in silence; whatever it raises becomes one line."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), no_initialisation():
            return action()
    except (Exception, SystemExit) as error:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if Path(f.filename) == path.resolve()]
        reason = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        problem = _("{what} raised {reason}").format(what=what, reason=reason)
        raise FileError(path, problem, _("line {number}").format(number=lines[-1]) if lines else "") from error


def _call(path: Path, function: str, action: Callable[[], Any]) -> Step:
    found = _guarded(path, function, action)
    try:
        return _step(found)
    except (TypeError, IndexError, KeyError) as error:
        form = _("it must return (model, example batch), optionally with an optimizer and a loss function")
        raise FileError(
            path, _("{what} returned {kind}").format(what=function, kind=type(found).__name__), "", form
        ) from error


def _step(found: Any) -> Step:
    if isinstance(found, dict):
        step = Step(found["model"], found["batch"], found.get("optimizer"), found.get("loss"))
    else:
        step = Step(found[0], found[1])
        for extra in found[2:]:
            if isinstance(extra, torch.optim.Optimizer) or not callable(extra):
                step.optimizer = extra
            else:
                step.loss = extra
    if not isinstance(step.model, torch.nn.Module):
        raise TypeError(type(step.model).__name__)
    return step


def _first_dimension(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return value.shape[0] if value.dim() else 1
    values = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return next((_first_dimension(item) for item in values if not isinstance(item, (int, float, str))), 1)


def _resized(value: Any, before: int, after: int) -> Any:
    """Fake tensors like those in ``value``, with ``after`` samples where there were ``before``."""
    if isinstance(value, torch.Tensor):
        shape = tuple(value.shape)
        if shape and shape[0] == before:
            shape = (after, *shape[1:])
        return torch.empty(shape, dtype=value.dtype)
    if isinstance(value, dict):
        return {key: _resized(item, before, after) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_resized(item, before, after) for item in value)
    return value


def _batch(value: Any) -> Batch:
    """A dict is keyword arguments; of a tuple the last item is the targets; anything else is the only argument."""
    if isinstance(value, dict):
        return Batch((), value)
    if isinstance(value, tuple) and len(value) > 1:
        *inputs, targets = value
        if len(inputs) == 1 and isinstance(inputs[0], dict):
            return Batch((), inputs[0], targets)
        return Batch(tuple(inputs), {}, targets)
    return Batch(value if isinstance(value, tuple) else (value,))


def _loss(step: Step) -> Callable[[Any, Any], torch.Tensor]:
    given = step.loss
    if given is None:
        return _usual_loss
    if isinstance(given, torch.nn.Module) or len(inspect.signature(given).parameters) > 1:
        return given
    return lambda output, targets: given(output)


def _usual_loss(output: Any, targets: Any) -> torch.Tensor:
    own = output.get("loss") if isinstance(output, dict) else getattr(output, "loss", None)
    if isinstance(own, torch.Tensor):
        return own
    classes = isinstance(targets, torch.Tensor) and not targets.dtype.is_floating_point
    return losses.cross_entropy(output, targets) if classes else losses.mean_square(output, targets)


def _warnings(step: Step, function: str, sized: bool) -> list[str]:
    said = [] if sized else [_("{function} takes no batch_size: its example is resized").format(function=function)]
    if step.optimizer is not None and _optimizer_name(step.optimizer) is None:
        message = _("no recipe for the optimizer {name}: adamw is forecast; name another with --optimizer")
        kind = step.optimizer if isinstance(step.optimizer, str) else type(step.optimizer).__name__
        said.append(message.format(name=kind))
    return said


def _optimizer_name(optimizer: Any) -> str | None:
    """Our name for the optimizer that was returned, or None where there is none or no recipe for it."""
    if optimizer is None or isinstance(optimizer, str):
        return optimizer if optimizer in OPTIMIZERS else None
    name = type(optimizer).__name__.lower()
    if name == "sgd":
        return "momentum" if optimizer.defaults.get("momentum") else "sgd"
    if name.startswith(("adamw", "pagedadamw")) and "8bit" in name:
        return "paged-adamw-8bit" if name.startswith("paged") else "adamw-8bit"
    if name.startswith("pagedadamw"):
        return "paged-adamw"
    return name if name in OPTIMIZERS else None
