"""Work in the background, one piece at a time; what goes wrong there is raised where the script asks next."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Writer:
    """Runs pieces of work beside the training."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def start(self, work: Callable[[], None]) -> None:
        """Begin ``work``; the one before has to be settled."""

        def run() -> None:
            try:
                work()
            except BaseException as error:
                self._error = error

        # No daemon: a process that ends waits for its last checkpoint.
        self._thread = threading.Thread(target=run, name="outboard-checkpoint")
        self._thread.start()

    def busy(self) -> bool:
        """Whether something is being written."""
        return self._thread is not None and self._thread.is_alive()

    def settle(self) -> BaseException | None:
        """Wait for the end of the work, and return what went wrong, once."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        error, self._error = self._error, None
        return error
