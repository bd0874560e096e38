"""Runs operators on fake tensors quickly.

``FakeTensorMode`` answers for an operator in a third of a millisecond, and in many where it takes the operator apart.
Most operators have a meta kernel that answers in microseconds: those are called directly, with the results wrapped as
fake tensors. What this cannot do (values of constants, real tensors, results whose size depends on data) is left to the
mode.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    in_kernel_invocation_manager,
)
from torch.utils._python_dispatch import TorchDispatchMode

from outboard.tracing.recorder import guesses
from outboard.tracing.recorder.shapes import SHAPES
from outboard.tracing.recorder.tensors import collect

_CPU = torch.device("cpu")
_META = torch.device("meta")
_DEVICE = torch.ops.prim.device.default
# Operators about values, which only the mode knows.
_SLOW = frozenset(
    ("lift_fresh", "lift_fresh_copy", "lift", "_local_scalar_dense", "item", "set_", "nonzero", "masked_select")
)


class _Mode(FakeTensorMode):
    """``FakeTensorMode`` whose calls do not pass through torch's compiler, which would have to be imported."""

    __torch_dispatch__ = getattr(FakeTensorMode.__torch_dispatch__, "__wrapped__", FakeTensorMode.__torch_dispatch__)

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False


class Quick(TorchDispatchMode):
    """Runs operators with a runner, and does nothing else."""

    def __init__(self, runner: "Runner") -> None:
        super().__init__()
        self._runner = runner

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self._runner(func, args, kwargs or {})


class Runner:
    """Callable that executes ``func(*args, **kwargs)``; tensors made inside ``mode`` are fake.

    ``guessed`` counts the operators whose results depend on values and were assumed.
    """

    def __init__(self) -> None:
        self.mode: FakeTensorMode = _Mode(allow_non_fake_inputs=True)
        self.guessed: Counter[str] = Counter()
        self._plans: dict[Any, tuple[Callable[..., Any], bool] | None] = {}

    def __call__(self, func: Any, args: Any, kwargs: Any) -> Any:
        """The result of an operator, as fake tensors."""
        if func is _DEVICE:
            return args[0].fake_device if isinstance(args[0], FakeTensor) else args[0].device
        plan = self._plans[func] if func in self._plans else self._plan(func)
        if plan is None:
            return self._slowly(func, args, kwargs)
        tensors = collect(args, collect(kwargs.values(), []) if kwargs else [])
        for tensor in tensors:
            if not isinstance(tensor, FakeTensor) or tensor.constant is not None:
                return self._slowly(func, args, kwargs)
        function, takes_device = plan
        meta_kwargs = kwargs
        if takes_device and (not tensors or kwargs.get("device") is not None):
            meta_kwargs = {**kwargs, "device": _META}
        try:
            with in_kernel_invocation_manager(self.mode):
                out = function(*args, **meta_kwargs)
        except NotImplementedError:
            self._plans[func] = None
            return self._slowly(func, args, kwargs)
        return self._wrap(out)

    def _slowly(self, func: Any, args: Any, kwargs: Any) -> Any:
        try:
            return func(*args, **kwargs)
        except DataDependentOutputException:
            self.guessed[func._schema.name.partition("::")[2]] += 1
            return guesses.number(args[0])
        except DynamicOutputShapeException:
            guess = guesses.entries(func, args)
            if guess is None:
                raise
            self.guessed[func._schema.name.partition("::")[2]] += 1
            return self.fake(guess)

    def fake(self, meta: torch.Tensor) -> FakeTensor:
        """A meta tensor as a fake one."""
        return FakeTensor(self.mode, meta, _CPU)

    def _plan(self, func: Any) -> tuple[Callable[..., Any], bool] | None:
        packet = func._schema.name.partition("::")[2]
        takes_device = any(argument.name == "device" for argument in func._schema.arguments)
        slow = packet in _SLOW or torch.Tag.data_dependent_output in func.tags
        plan = None if slow else (SHAPES.get(func) or func, takes_device)
        self._plans[func] = plan
        return plan

    def _wrap(self, out: Any) -> Any:
        if isinstance(out, torch.Tensor):
            return out if isinstance(out, FakeTensor) else self.fake(out)
        if isinstance(out, (list, tuple)):
            return type(out)(self._wrap(item) for item in out)
        return out
