"""``outboard.feed``: any loader's batches, brought to the device while it works on the one before.

torch is imported when a feed is made, never with this package.
"""

from outboard.feeding.feed import Feed, feed

__all__ = ["Feed", "feed"]
