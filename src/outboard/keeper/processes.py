"""Processes of a run: started so that none can be left behind, found again, ended."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from typing import Iterator, Sequence

from outboard.keeper.rest import rest

MARK = "OUTBOARD_RUN_DIR"  # every process of a run has it in its environment
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of processes whose own parent dies, as torchrun's workers do (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def start(command: Sequence[str], where: str, variables: dict[str, str], output: int) -> subprocess.Popen[bytes]:
    """Start ``command`` in a session of its own; it dies with the keeper (Linux)."""
    return subprocess.Popen(
        list(command),
        cwd=where,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        preexec_fn=_leave_with_parent,
        close_fds=True,
        start_new_session=True,
    )


def _leave_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def descendants(of: int) -> list[int]:
    """Every living process below ``of``; none where there is no ``/proc``."""
    parents: dict[int, list[int]] = {}
    for pid, parent in _family():
        parents.setdefault(parent, []).append(pid)
    found: list[int] = []
    todo = [of]
    while todo:
        below = parents.get(todo.pop(), [])
        found += below
        todo += below
    return found


def leftovers(folder: str) -> list[int]:
    """Processes that an earlier keeper of this folder started and that outlived it."""
    mark = (MARK + "=" + folder).encode()
    found = []
    for pid, _parent in _family():
        if pid == os.getpid():
            continue
        with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
            if mark in file.read().split(b"\0"):
                found.append(pid)
    return found


def end(pids: Sequence[int], patience: float = 5.0) -> None:
    """Kill processes and wait until they are gone."""
    for pid in pids:
        send(pid, signal.SIGKILL)
    until = time.monotonic() + patience
    while any(alive(pid) for pid in pids) and time.monotonic() < until:
        rest(0.02)


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and waits for its parent does not."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rsplit(b")", 1)[1].split()[0] not in (b"Z", b"X")
    except FileNotFoundError:
        return not os.path.isdir("/proc/self") and _answers(pid)
    except OSError:
        return False


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def send(pid: int, number: int) -> None:
    """Send a signal to a process that may be gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _family() -> Iterator[tuple[int, int]]:
    """(pid, parent) of every living process."""
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            parent = _parent(name)
            if parent is not None:
                yield int(name), parent


def _parent(pid: str) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, parent = file.read().rsplit(b")", 1)[1].split()[:2]
    except (OSError, IndexError, ValueError):
        return None
    return None if state in (b"Z", b"X") else int(parent)
