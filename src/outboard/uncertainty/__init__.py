"""Bands around forecasts, and the ranked causes of a band."""

from outboard.uncertainty.bands import Band, Cause, band, fact_sigma
from outboard.uncertainty.residuals import issue_sigma, step_sigma

__all__ = ["Band", "Cause", "band", "fact_sigma", "issue_sigma", "step_sigma"]
