"""Who may write into a folder of checkpoints: only the process that was started last.

A process that was given up may go on for a while, on this machine or on another one. Whoever begins to write notes
its number in the folder; a process with an older number commits and removes nothing more.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from outboard.errors import CheckpointError, SupersededError
from outboard.i18n import _
from outboard.resuming import durable

GENERATION = "OUTBOARD_GENERATION"
FILE = "lease.json"
LOCK = ".lease.lock"
PATIENCE = 30.0  # for another process that is just committing [s]
POLL = 0.02  # [s]


_opened: set[int] = set()  # lock files of this process


def _forget_locks() -> None:
    """A worker forked while the lock is held would hold it on, as long as it lives."""
    while _opened:
        with contextlib.suppress(OSError):
            os.close(_opened.pop())


os.register_at_fork(after_in_child=_forget_locks)


class Turn(NamedTuple):
    """Later ones are greater. A run counts generations; each process outside a run is one more turn of the last."""

    generation: int
    turn: int

    def __str__(self) -> str:
        return f"{self.generation}.{self.turn}" if self.turn else str(self.generation)


class Lease:
    """The right to write into ``folder``; :meth:`take` it before the first write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.turn: Turn | None = None

    def take(self) -> Turn:
        """Note that this process writes now. Raises :class:`SupersededError` where a later one already does."""
        if self.turn is not None:
            return self.turn
        with self._locked():
            now = self._now()
            asked = own_generation()
            mine = Turn(now.generation, now.turn + 1) if asked is None else Turn(asked, 0)
            if mine < now:
                raise self._superseded(mine)
            if mine > now:
                self._write(mine)
            self.turn = mine
        return mine

    def check(self) -> None:
        """Raise :class:`SupersededError` where a later process has begun to write."""
        if self.turn is None:
            self.take()
        elif self._now() > self.turn:
            raise self._superseded(self.turn)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Be the one who writes, and stay it: nobody takes the lease while this is held."""
        if self.turn is None:
            self.take()
        with self._locked():
            self.check()
            yield

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock of the folder. Where the file system has no locks the number alone has to do."""
        opened = os.open(str(self.folder / LOCK), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        _opened.add(opened)
        until = time.monotonic() + PATIENCE
        try:
            while True:
                try:
                    fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except OSError as error:
                    if error.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
                        break
                    if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR):
                        raise
                if time.monotonic() > until:
                    text = _("{folder}: another process has held the lock {lock} for {seconds:.0f} s; end it first")
                    raise CheckpointError(text.format(folder=self.folder, lock=LOCK, seconds=PATIENCE))
                time.sleep(POLL)
            yield
        finally:
            _opened.discard(opened)
            os.close(opened)

    def _told(self) -> dict[str, Any]:
        try:
            found = json.loads((self.folder / FILE).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError:  # nobody of ours: we replace it whole
            return {}
        return found if isinstance(found, dict) else {}

    def _now(self) -> Turn:
        told = self._told()
        numbers = [told.get(name, 0) for name in Turn._fields]
        return Turn(*(number if isinstance(number, int) else 0 for number in numbers))

    def _write(self, mine: Turn) -> None:
        told = {**mine._asdict(), "host": socket.gethostname(), "pid": os.getpid(), "time": time.time()}
        durable.replace(self.folder / FILE, json.dumps(told).encode())

    def _superseded(self, mine: Turn) -> SupersededError:
        text = _(
            "{folder}: process {pid} on {host}, generation {now}, writes checkpoints here now; this one, generation "
            "{mine}, is older and saves and removes nothing more"
        )
        told = self._told()
        where = {"folder": self.folder, "pid": told.get("pid", "?"), "host": told.get("host", "?")}
        return SupersededError(text.format(**where, now=self._now(), mine=mine))


def own_generation() -> int | None:
    """The number of the start of the run this process belongs to; None outside a run."""
    text = os.environ.get(GENERATION, "")
    if not text:
        return None
    try:
        return int(text)
    except ValueError as error:
        message = _("{name}: '{value}' is not a whole number").format(name=GENERATION, value=text)
        raise CheckpointError(message) from error
