"""Waiting that a clock set forward or back neither ends nor stretches."""

from __future__ import annotations

import threading


def rest(seconds: float) -> None:
    """Wait so long; an event waits by the monotonic clock on every Python, where ``time.sleep`` does not."""
    threading.Event().wait(seconds)
