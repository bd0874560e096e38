"""Several devices: what joins them, what each way of sharing the work sends, and what a step waits for.

Imports nothing from :mod:`outboard.perf.time`, which puts these seconds beside those of the step.
"""
