"""The traces that ship with Outboard, so that the common models can be forecast without torch."""

from outboard.tracing.zoo.entries import Entry, Variant, entries, find

__all__ = ["Entry", "Variant", "entries", "find"]
