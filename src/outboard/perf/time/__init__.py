"""The time of one step: operators, launches, input copies and gradient exchange, vectorised over places and batches."""

from outboard.perf.time.estimate import step_estimate
from outboard.perf.time.places import DeviceArrays, PlaceArrays
from outboard.perf.time.step import StepReplay, replay

__all__ = ["DeviceArrays", "PlaceArrays", "StepReplay", "replay", "step_estimate"]
