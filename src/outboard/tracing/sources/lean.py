"""Imports without torch's compiler, which timm, torchvision and fake tensors hardly touch and which takes seconds."""

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator
from functools import partial, wraps
from types import ModuleType
from typing import Any

_COMPILER = "torch._dynamo"
# The compiler's settings that fake tensors ask for, at their defaults.
_SETTINGS = {
    "fake_tensor_cache_enabled": True,
    "fake_tensor_cache_crosscheck_enabled": False,
    "_custom_ops_profile": None,
    "error_on_nested_fx_trace": True,
}


@contextlib.contextmanager
def no_compiler() -> Iterator[None]:
    """While inside, ``torch._dynamo`` is a stand-in that loads the real one once it is needed."""
    if _COMPILER in sys.modules:
        yield
        return
    utilities = _module(
        "utils", is_compile_supported=_is_compile_supported, __getattr__=partial(_from_compiler, ".utils")
    )
    config = _module("config", **_SETTINGS, __getattr__=partial(_from_compiler, ".config"))
    package = _module("", disable=_disable, utils=utilities, config=config, __path__=[])
    package.__dict__["__getattr__"] = partial(_from_compiler, "")
    stand_ins = {module.__name__: module for module in (package, utilities, config)}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name, module in stand_ins.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


def _module(name: str, **content: Any) -> ModuleType:
    module = ModuleType(f"{_COMPILER}.{name}".rstrip("."))
    module.__dict__.update(content)
    return module


def lean(make: Callable[[], Any]) -> Any:
    """What ``make`` returns, without the compiler if it does without."""
    import torch  # noqa: F401 (whole, before anything below stands in for a part of it)

    try:
        with no_compiler():
            return make()
    except ImportError:
        return make()


def import_lean(name: str) -> Any:
    """The module ``name``."""
    return lean(lambda: importlib.import_module(name))


def _disable(function: Any, recursive: bool = True, **options: Any) -> Any:
    @wraps(function)
    def disabled(*args: Any, **kwargs: Any) -> Any:
        real = sys.modules.get(_COMPILER)
        if real is None or not hasattr(real, "__file__"):
            return function(*args, **kwargs)  # nothing can be compiled without the compiler
        return real.disable(function, recursive, **options)(*args, **kwargs)

    return disabled


def _is_compile_supported(device_type: str) -> Any:
    return importlib.import_module(f"{_COMPILER}.utils").is_compile_supported(device_type)


def _from_compiler(module: str, name: str) -> Any:
    """Something that a stand-in lacks: give way to the real compiler."""
    if name.startswith("__"):
        raise AttributeError(name)
    for stand_in in (_COMPILER, f"{_COMPILER}.utils", f"{_COMPILER}.config"):
        sys.modules.pop(stand_in, None)
    importlib.import_module(_COMPILER)
    return getattr(importlib.import_module(_COMPILER + module), name)
