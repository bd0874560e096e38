"""Who wants the run to stop: a person, a scheduler, a budget."""

from __future__ import annotations

import signal
import time
from typing import Any

from outboard.keeper.folder import Folder

PEOPLE = ("save", "now")


class Asks:
    """Collects the wishes; the first one stands, but ``now`` overrides what would take longer."""

    def __init__(self, folder: Folder, asked: dict[str, Any], spent: float) -> None:
        self.folder = folder
        self.scheduled = bool(asked.get("requeue"))
        self.budget: float | None = asked.get("budget_seconds")
        self.spent = spent
        self.begun = time.monotonic()
        self.how: str | None = None

    def listen(self) -> None:
        """Hear SIGTERM, SIGINT and USR1."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            signal.signal(number, self._hear)

    def _hear(self, number: int, _frame: Any) -> None:
        self.how = self.how or ("time" if self.scheduled or number == signal.SIGUSR1 else "save")

    def look(self) -> str | None:
        """Return how to stop, None: go on."""
        wish = self.folder.wish()
        if wish == "now" or (self.how is None and wish in PEOPLE):
            self.how = wish
        if self.how is None and self.budget is not None and self.used() >= self.budget:
            self.how = "budget"
        return self.how

    def used(self) -> float:
        """Seconds that the run has been kept, in earlier lives too."""
        return self.spent + time.monotonic() - self.begun
