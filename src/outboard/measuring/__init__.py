"""Measuring this machine and jobs on it, and forecasts that use what was measured."""

from outboard.measuring.here import is_here, place_here
from outboard.measuring.recall import with_recalled

__all__ = ["is_here", "place_here", "with_recalled"]
