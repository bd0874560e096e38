"""Traces that people bring: size-limited, parsed as data and nothing else, kept until the page stops."""

import hashlib
import re
import tempfile
import threading
import zlib
from collections import OrderedDict
from pathlib import Path

from outboard.errors import FileError, UsageError
from outboard.i18n import _
from outboard.tracing import file
from outboard.web.fields import UPLOADED, FieldError

LARGEST = 4 << 20  # a trace of the largest models is below 1 MB [B]
LARGEST_UNPACKED = 64 << 20  # [B]
MOST = 32  # the oldest go first


class Uploads:
    """Keeps each trace under the hash of its content, in a folder that goes with this object."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="outboard-page-")
        self._names: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, data: bytes, name: str) -> str:
        """Keep a trace and return the workload that names it. Raises :class:`FieldError` for what is none."""
        shown = _shown(name)
        self._check(data, shown)
        digest = hashlib.sha256(data).hexdigest()[:16]
        with self._lock:
            self._path(digest).write_bytes(data)
            self._names[digest] = shown
            self._names.move_to_end(digest)
            while len(self._names) > MOST:
                oldest, _name = self._names.popitem(last=False)
                self._path(oldest).unlink(missing_ok=True)
        return UPLOADED + digest

    def _check(self, data: bytes, shown: str) -> None:
        unpacker = zlib.decompressobj(wbits=31)
        try:
            unpacker.decompress(data, LARGEST_UNPACKED)
        except zlib.error:
            problem = _("is not a trace; make one with: outboard trace WORKLOAD -o FILE.trace")
            raise FieldError("file", shown, problem) from None
        if unpacker.unconsumed_tail:
            raise FieldError("file", shown, _("is too large when unpacked"))
        try:
            file.from_bytes(data, shown)
        except FileError as error:
            raise FieldError("file", shown, str(error).removeprefix(f"{shown}: ")) from None
        except (UsageError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise FieldError("file", shown, _("is not a complete trace: {reason}").format(reason=error)) from None

    def workload(self, name: str) -> str:
        """The workload as a job names it. Raises :class:`FieldError` for an upload that is gone."""
        if not name.startswith(UPLOADED):
            return name
        digest = name.removeprefix(UPLOADED)
        if digest not in self._names:
            raise FieldError("w", name, _("this trace is not here any more; bring it again"))
        return str(self._path(digest))

    def every(self) -> dict[str, str]:
        """The workloads that were brought, with the names of their files, newest first."""
        with self._lock:
            return {UPLOADED + digest: name for digest, name in reversed(self._names.items())}

    def close(self) -> None:
        """Forget them all."""
        self._folder.cleanup()

    def _path(self, digest: str) -> Path:
        return Path(self._folder.name) / f"{digest}{file.SUFFIX}"


def _shown(name: str) -> str:
    """A file name fit to be shown: its last part, letters and digits of it."""
    return re.sub(r"[^\w.+-]", "_", name.replace("\\", "/").rpartition("/")[2])[:60] or "trace"
