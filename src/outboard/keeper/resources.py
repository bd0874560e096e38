"""What a run holds: memory of the host and of the GPU, each the most that was seen."""

from __future__ import annotations

import os
import shutil
import subprocess

PAGE = os.sysconf("SC_PAGE_SIZE")
MIB = 1 << 20
PATIENCE = 10.0  # a driver that hangs must not hang the keeper [s]


class Usage:
    """The most that was seen [B]; None where nobody could count."""

    def __init__(self) -> None:
        self.host: int | None = None
        self.gpu: int | None = None

    def look(self, pids: list[int]) -> None:
        """Count once more."""
        resident = [found for pid in pids if (found := _resident(pid)) is not None]
        if resident:
            self.host = max(self.host or 0, sum(resident))
        held = [size for pid, size in gpu_memory().items() if pid in pids]
        if held:
            self.gpu = max(self.gpu or 0, sum(held))

    def plain(self) -> dict[str, int | None]:
        """For the state."""
        return {"host_peak": self.host, "gpu_peak": self.gpu}


def _resident(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * PAGE
    except (OSError, IndexError, ValueError):
        return None


def gpu_memory() -> dict[int, int]:
    """Bytes on the GPUs by process; nothing without ``nvidia-smi``."""
    text = _ask("--query-compute-apps=pid,used_memory") or ""
    found: dict[int, int] = {}
    for line in text.splitlines():
        pid, _comma, size = line.partition(",")
        if pid.strip().isdigit() and size.strip().isdigit():
            found[int(pid)] = found.get(int(pid), 0) + int(size) * MIB
    return found


def gpus() -> int | None:
    """How many GPUs answer; None where no driver's tool is there to ask."""
    if shutil.which("nvidia-smi") is None:
        return None
    text = _ask("--query-gpu=uuid")
    return 0 if text is None else sum(1 for line in text.splitlines() if line.strip().startswith("GPU-"))


def _ask(query: str) -> str | None:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    try:
        done = subprocess.run(
            [tool, query, "--format=csv,noheader,nounits"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace")
