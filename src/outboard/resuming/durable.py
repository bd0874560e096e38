"""Writes that are on the disk when they return."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from pathlib import Path
from typing import Any

ONLY_OWNER = 0o600
AT_ONCE = 16 << 20  # read for a checksum [B]


class Hashed:
    """A new file that is hashed while it is written; what ``torch.save`` takes for a file."""

    def __init__(self, path: Path) -> None:
        # O_EXCL: never into a file that is there already.
        self.opened = os.open(str(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, ONLY_OWNER)
        self.size = 0
        self.sum = hashlib.sha256()
        self.error: OSError | None = None  # torch reports a failed write as something else

    def write(self, data: Any) -> int:
        """Write all of ``data``."""
        rest = memoryview(data).cast("B")
        self.sum.update(rest)
        self.size += len(rest)
        whole = len(rest)
        try:
            while rest:
                rest = rest[os.write(self.opened, rest) :]
        except OSError as error:
            self.error = error
            raise
        return whole

    def flush(self) -> None:
        """Nothing is kept back."""

    def close(self) -> None:
        """Flush to the disk; raises OSError where it did not take it."""
        opened, self.opened = self.opened, -1
        if opened < 0:
            return
        try:
            os.fsync(opened)
        finally:
            os.close(opened)

    def told(self) -> dict[str, Any]:
        """Size and checksum as the manifest has them."""
        return {"size": self.size, "sha256": self.sum.hexdigest()}


def replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: beside it, flushed, renamed, and the folder flushed."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    opened = os.open(str(beside), os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC, ONLY_OWNER)
    try:
        with os.fdopen(opened, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Flush the names in a folder. Some file systems of networks cannot, and need not."""
    opened = os.open(str(path), os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(opened)


def measured(path: Path, sync: bool = False) -> dict[str, Any]:
    """Size and checksum of a file, read from the disk; flushed first if asked."""
    total, size = hashlib.sha256(), 0
    with path.open("rb", buffering=0) as file:
        if sync:
            os.fsync(file.fileno())
        while data := file.read(AT_ONCE):
            total.update(data)
            size += len(data)
    return {"size": size, "sha256": total.hexdigest()}
