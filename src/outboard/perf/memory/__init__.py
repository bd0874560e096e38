"""Memory: from a trace's births and deaths to what must be free on a device, and to the largest batch that is safe."""

from outboard.perf.memory.batch import safe_max_batch
from outboard.perf.memory.estimate import memory_estimate, verdict
from outboard.perf.memory.host import host_estimate, host_verdict
from outboard.perf.memory.levers import Lever, memory_levers
from outboard.perf.memory.required import Band, PlaceMemory, Required, place_memory, required_bytes

__all__ = [
    "Band",
    "Lever",
    "PlaceMemory",
    "Required",
    "host_estimate",
    "host_verdict",
    "memory_estimate",
    "memory_levers",
    "place_memory",
    "required_bytes",
    "safe_max_batch",
    "verdict",
]
