"""What to do: changes that make a job fit, and where it should run."""

from outboard.planner.advice import with_levers
from outboard.planner.remedies import Remedy, larger_devices, remedies

__all__ = ["Remedy", "larger_devices", "remedies", "with_levers"]
