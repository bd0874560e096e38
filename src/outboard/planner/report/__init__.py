"""The report of a plan: one HTML file that stands alone, or its charts as a picture."""

from outboard.planner.report.write import write_html, write_plot

__all__ = ["write_html", "write_plot"]
