"""The prices in use: the table that was refreshed last, else the snapshot that ships."""

from outboard.planner.prices.table import current, path

__all__ = ["current", "path"]
