"""Fitting the time model on published measurements, and judging it on others that it never saw."""
