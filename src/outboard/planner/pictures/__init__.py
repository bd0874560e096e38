"""Pictures of one forecast: the rate against the link's bandwidth, and the lanes of some steps."""

from outboard.planner.pictures.draw import draw

__all__ = ["draw"]
