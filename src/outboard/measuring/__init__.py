"""Measuring this machine and jobs on it, and forecasts that use what was measured.

What measures and what remembers is read when it is asked for: every forecast asks whether a place is this machine.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from outboard.measuring.names import is_here

if TYPE_CHECKING:
    from outboard.measuring.here import place_here
    from outboard.measuring.recall import with_recalled

__all__ = ["is_here", "place_here", "with_recalled"]

_HOME = {"place_here": "here", "with_recalled": "recall"}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
