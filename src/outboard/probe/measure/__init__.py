"""What a device, its link and the host really do: one file for each kind of measurement, torch only when asked for."""

from outboard.probe.measure.suite import Step, steps

__all__ = ["Step", "steps"]
