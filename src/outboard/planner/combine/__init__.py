"""The best assignment of several jobs to places that share fixed costs, quotas, hours and one budget."""

from outboard.planner.combine.pairs import Pair, pairs
from outboard.planner.combine.solve import Solved, solve

__all__ = ["Pair", "Solved", "pairs", "solve"]
