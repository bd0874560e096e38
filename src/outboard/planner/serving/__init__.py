"""Open language models at places: what fits, where each layer lies, how fast it is and what a token costs."""

from outboard.planner.serving.fit import Served, Wanted, best, every, most_users, room, served
from outboard.planner.serving.sources import PREFERRED, Source, source

__all__ = ["PREFERRED", "Served", "Source", "Wanted", "best", "every", "most_users", "room", "served", "source"]
