"""Open language models at work: memory by context, speed of reading and writing, from sizes alone."""

from outboard.perf.serving.parameters import Parameters, parameters
from outboard.perf.serving.quantisation import MIXES, Mix

__all__ = ["MIXES", "Mix", "Parameters", "parameters"]
