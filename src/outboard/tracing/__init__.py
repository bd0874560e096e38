"""Job to trace: from torch, from a model configuration, from a saved file or from the traces that ship."""

from outboard.tracing.load import trace
from outboard.tracing.optimizer import attach, detach
from outboard.tracing.totals import describe, summary

__all__ = ["attach", "describe", "detach", "summary", "trace"]
