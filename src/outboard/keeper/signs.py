"""What ended an attempt, read from its exit code and its last lines."""

from __future__ import annotations

import re
import signal
from typing import NamedTuple

AGAIN = 85  # "saved, please start me again": EX of no other program we know
TAIL = 64 * 1024  # how much of the log tells what went wrong [B]

# (kind, pattern), the most telling first. The wording is that of the CUDA runtime, the NVIDIA and amdgpu kernel
# drivers, PyTorch and glibc.
SIGNS = (
    (
        "gpu lost",
        r"unspecified launch failure|device-side assert|GPU has fallen off the bus|GPU is lost|Xid.{0,40}\b79\b"
        r"|no CUDA-capable device is detected|CUDA driver initialization failed|CUDA_ERROR_(NO_DEVICE|ECC)"
        r"|uncorrectable ECC error|an illegal (memory access|instruction) was encountered"
        r"|CUDA error: (unknown error|device not ready|hardware)|hipErrorNoDevice|ring gfx.* timeout",
    ),
    ("gpu memory", r"CUDA out of memory|torch\.(cuda\.)?OutOfMemoryError|HIP out of memory|CUBLAS_STATUS_ALLOC_FAILED"),
    ("disk full", r"No space left on device|unexpected pos \d+ vs|Disk quota exceeded|is full: a checkpoint of"),
    (
        "host memory",
        r"oom-kill|oom_kill|Out of memory: Killed|MemoryError|DataLoader worker .* killed by signal: Killed",
    ),
    (
        "link between machines",
        r"NCCL.*(timeout|unhandled system error)|Connection reset by peer|Gloo connectFullMesh failed",
    ),
    ("environment", r"ModuleNotFoundError|ImportError|command not found|No such file or directory: .*python"),
)
NOISE = re.compile(
    r"0x[0-9a-fA-F]+|\b\d+(\.\d+)?\b|/(tmp|run|var)/\S+|^\s*(\[?rank\d+\]?:?|W\d{4}|E\d{4}).*?\]\s", re.MULTILINE
)
TELLING = re.compile(r"^(\[rank\d+\]:\s*)?[\w.]*(Error|Exception|Interrupt|Exit|Killed|failure)\b.*", re.MULTILINE)


class Failure(NamedTuple):
    """Why an attempt failed. Two failures are the same when ``sign`` is."""

    kind: str  # one of SIGNS, "killed", "hung", "no progress" or "error"
    text: str  # the line that says it
    sign: str


def failure(code: int, log: str) -> Failure:
    """Read a failure from the exit code (negative: a signal) and the end of the log."""
    for kind, pattern in SIGNS:
        found = re.search(".*(?:" + pattern + ").*", log)
        if found:
            return _made(kind, found.group(0))
    if code in (-signal.SIGKILL, 128 + signal.SIGKILL):
        return _made("killed", "killed (SIGKILL): by a person, by the kernel for want of memory, or by a scheduler")
    said = _telling(log)
    if code < 0:
        return _made("killed", said or f"ended by signal {-code}")
    return _made("error", said or f"exit status {code}" + _last(log))


def no_progress() -> Failure:
    """It ended with exit status 0 and had done nothing."""
    return _made("no progress", "exit status 0, but nothing was computed")


def hung(seconds: float) -> Failure:
    """It gave no sign of life for so long [s]."""
    return Failure("hung", "no progress for %.0f minutes" % (seconds / 60.0), "hung")


def _last(log: str) -> str:
    """The last line, where no line says by itself that it is an error."""
    lines = [line for line in log.splitlines() if line.strip()]
    return f": {lines[-1]}" if lines else ""


def _telling(log: str) -> str | None:
    found: list[str] = [one.group(0) for one in TELLING.finditer(log)]
    own = [line for line in found if "ChildFailedError" not in line]
    return (own or found or [None])[-1]  # type: ignore[list-item]


def _made(kind: str, text: str) -> Failure:
    line = " ".join(text.split())[:300]
    return Failure(kind, line, kind + ": " + " ".join(NOISE.sub("#", line).split())[:200])
