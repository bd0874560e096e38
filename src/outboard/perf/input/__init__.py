"""From the disk to the device: what feeding a step costs, on the host's cores and over the link.

Imports nothing from :mod:`outboard.perf.time`, which puts these seconds beside those of the step.
"""
