"""States as plain values and tensors, which ``torch.load(weights_only=True)`` reads, and back.

What else is met often (arrays and numbers of numpy, counters, queues) is written as a dict with a mark.
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping
from typing import Any

from outboard.errors import UsageError
from outboard.i18n import _

MARK = "__outboard__"
NUMBERS: tuple[Any, ...] = (bool, int, float, complex, str, bytes)
Leaf = Callable[[Any, str], Any]


def encoded(value: Any, path: str, leaf: Leaf, strict: bool = True) -> Any:
    """``value`` made of dicts, lists, tuples, numbers and texts, with ``leaf(tensor, path)`` for each tensor.

    Things with a ``state_dict()`` give that. Anything else raises :class:`UsageError` if ``strict``, and is passed on
    as it is if not.
    """
    import torch

    def inner(each: Any, name: Any) -> Any:
        return encoded(each, f"{path}.{name}" if path else str(name), leaf, strict)

    if isinstance(value, torch.Tensor):
        return leaf(value, path)
    if value is None or isinstance(value, (torch.dtype, torch.device, torch.Size)):
        return value
    for kind in NUMBERS:
        if type(value) is kind:
            return value
    if isinstance(value, Mapping):
        return _mapping(value, path, inner)
    if type(value) in (list, tuple):
        return type(value)(inner(each, number) for number, each in enumerate(value))
    if isinstance(value, (set, frozenset)):
        return {MARK: type(value).__name__, "items": [inner(each, "item") for each in value]}
    if isinstance(value, deque):
        return {
            MARK: "deque",
            "items": [inner(each, number) for number, each in enumerate(value)],
            "most": value.maxlen,
        }
    if (numpy := sys.modules.get("numpy")) is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        return _array(numpy, value, path)
    if callable(getattr(value, "state_dict", None)):
        return encoded(value.state_dict(), path, leaf, strict)
    for kind in NUMBERS:  # enumerations and the like that are numbers or texts
        if isinstance(value, kind):
            return kind(value)
    if not strict:
        return value
    text = _("'{path}' is a {kind}: a checkpoint holds tensors, plain values, and things with a state_dict()")
    raise UsageError(text.format(path=path, kind=f"{type(value).__module__}.{type(value).__qualname__}"))


def decoded(value: Any) -> Any:
    """What :func:`encoded` was given, as far as it was plain."""
    if isinstance(value, dict):
        if MARK in value:
            return _unmarked(value)
        made = OrderedDict() if isinstance(value, OrderedDict) else {}
        made.update((name, decoded(each)) for name, each in value.items())
        if hasattr(value, "_metadata"):
            made._metadata = value._metadata  # type: ignore[union-attr]
        return made
    if type(value) in (list, tuple):
        return type(value)(decoded(each) for each in value)
    return value


def _mapping(value: Mapping[Any, Any], path: str, inner: Callable[[Any, Any], Any]) -> Any:
    for name in value:
        if not isinstance(name, (str, int, float, bool, tuple, type(None))):
            text = _("'{path}' has the key {key}: keys have to be texts or numbers")
            raise UsageError(text.format(path=path, key=repr(name)[:80]))
    if isinstance(value, Counter):
        return {MARK: "Counter", "items": dict(value)}
    made: dict[Any, Any] = OrderedDict() if isinstance(value, OrderedDict) else {}
    made.update((name, inner(each, name)) for name, each in value.items())
    if hasattr(value, "_metadata"):  # versions of modules, which load_state_dict() looks at
        made._metadata = value._metadata  # type: ignore[attr-defined]
    return made


def _array(numpy: Any, value: Any, path: str) -> Any:
    """An array as its bytes: torch has not all of numpy's types."""
    import torch

    if value.dtype.hasobject or value.dtype.kind == "V":
        text = _("'{path}' is an array of objects or records; a checkpoint holds arrays of numbers")
        raise UsageError(text.format(path=path))
    flat = numpy.frombuffer(value.tobytes(), dtype=numpy.uint8).copy()
    kind = "array" if isinstance(value, numpy.ndarray) else "number"
    return {MARK: kind, "type": value.dtype.str, "shape": list(value.shape), "bytes": torch.from_numpy(flat)}


def _unmarked(value: dict[str, Any]) -> Any:
    kind = value[MARK]
    if kind in ("array", "number"):
        import numpy

        flat = numpy.frombuffer(value["bytes"].numpy().tobytes(), dtype=numpy.dtype(value["type"]))
        made = flat.reshape(value["shape"]).copy()
        return made if kind == "array" else made[()]
    items = decoded(value["items"])
    if kind == "deque":
        return deque(items, value["most"])
    return {"Counter": Counter, "set": set, "frozenset": frozenset}[kind](items)
