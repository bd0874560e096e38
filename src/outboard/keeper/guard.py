"""A second process that starts the keeper again when something kills it."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any, Callable

from outboard.keeper.rest import rest

MOST = 20  # a keeper that dies more often is not being killed, it is broken


def guarded(keep: Callable[[], int]) -> int:
    """Run ``keep`` in a child, again when a signal ends it. Signals that this process gets are handed on."""
    for _life in range(MOST):
        child = os.fork()
        if child == 0:
            os._exit(_safely(keep))
        code = _wait(child)
        if code >= 0:
            return code
        rest(0.2)
    return 1


def _safely(keep: Callable[[], int]) -> int:
    try:
        return keep()
    except BaseException:
        import traceback

        traceback.print_exc()
        return 1


def _wait(child: int) -> int:
    def hand_on(number: int, _frame: Any) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
        signal.signal(number, hand_on)
    _pid, status = os.waitpid(child, 0)
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
