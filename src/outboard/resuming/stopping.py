"""A wish to stop, told by a signal: heard at once, obeyed where the script asks for it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGTERM, signal.SIGUSR1)
_listening: list[Stop] = []  # those of this process; their handlers call each other


class Stop:
    """Listens until :meth:`forget`; handlers that were there before are called too.

    As long as the script never looked whether it is to stop, a signal does what it always did: nobody would obey.
    """

    def __init__(self, on_stop: Callable[[], Any] | None = None) -> None:
        self.asked = False
        self.obeyed = on_stop is not None  # whether anybody looks
        self.on_stop = on_stop
        self._before: dict[int, Any] = {}
        _listening.append(self)
        if threading.current_thread() is threading.main_thread():  # others may not set handlers
            for number in SIGNALS:
                self._before[number] = signal.signal(number, self._heard)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        before = self._before.get(number)
        if not any(each.obeyed for each in _listening) and before is signal.SIG_DFL:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        first, self.asked = not self.asked, True
        if first and self.on_stop is not None:
            self.on_stop()
        if callable(before):
            before(number, frame)

    def forget(self) -> None:
        """Put the handlers back that were there before, where ours still stand."""
        if self in _listening:
            _listening.remove(self)
        for number, before in self._before.items():
            if signal.getsignal(number) == self._heard:
                signal.signal(number, before)
        self._before = {}


class Spared:
    """A loader's ``worker_init_fn`` whose worker outlives the wish to stop.

    The signal goes to all processes of a run. Without its workers a loader fails at once, before anything is saved.
    """

    def __init__(self, before: Callable[[int], Any] | None) -> None:
        self.before = before

    def __call__(self, number: int) -> None:
        """Set up worker ``number``."""
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        threading.Thread(target=_obey_parent, daemon=True).start()
        if self.before is not None:
            self.before(number)


def _obey_parent() -> None:
    """End this worker when the process that it works for says so, and nobody else."""
    while signal.sigwaitinfo({signal.SIGTERM}).si_pid != os.getppid():
        pass
    os._exit(0)


def spare_workers(loader: Any) -> None:
    """Let the workers of ``loader``, or of the one that a feed wraps, outlive the wish to stop."""
    if not hasattr(signal, "sigwaitinfo"):  # as on macOS, where nobody can tell who sent a signal
        return
    inner = getattr(loader, "loader", loader)
    if getattr(inner, "num_workers", 0) and not isinstance(getattr(inner, "worker_init_fn", None), Spared):
        inner.worker_init_fn = Spared(inner.worker_init_fn)
