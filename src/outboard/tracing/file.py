"""A trace in one file: gzipped JSON lines, a header with format version and checksum, then the trace itself.

``zcat FILE.trace | head -1`` shows what a file is. Equal traces give equal bytes.
"""

import gzip
import hashlib
import json
import os
import tempfile
import zlib
from pathlib import Path

from outboard.errors import FileError
from outboard.i18n import _
from outboard.tracing.codec import MalformedError, from_plain, to_plain
from outboard.tracing.optimizer import USUAL_OPTIMIZER, attach, detach
from outboard.types.trace import FORMAT_VERSION, Trace

SUFFIX = ".trace"
_MARK = "outboard trace"


def save(trace: Trace, path: str | Path) -> None:
    """Write a trace without its optimizer segment; the file is there whole or not at all.

    Which optimizer was attached is remembered in ``info.optimizer``. Raises :class:`~outboard.errors.FileError`.
    """
    path = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(to_bytes(trace))
            # mkstemp makes the file private; a trace is as readable as any other file of its owner.
            Path(temporary).chmod(0o666 & ~_umask())
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileError(path, _("cannot be written: {reason}").format(reason=error.strerror or error)) from error


def load(path: str | Path) -> Trace:
    """Read a trace, with the optimizer that it was saved with or else the usual one. Raises as :func:`load_bare`."""
    trace = load_bare(path)
    return attach(trace, trace.info.optimizer or USUAL_OPTIMIZER)


def load_bare(path: str | Path) -> Trace:
    """Read a trace without its optimizer segment. Raises :class:`~outboard.errors.FileError` for whatever is wrong."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FileError(path, _("cannot be read: {reason}").format(reason=error.strerror or error)) from error
    return from_bytes(data, path)


def to_bytes(trace: Trace) -> bytes:
    """The content of a trace file."""
    body = json.dumps(to_plain(detach(trace)), separators=(",", ":"), allow_nan=False).encode()
    header = {"format": _MARK, "version": FORMAT_VERSION, "sha256": hashlib.sha256(body).hexdigest()}
    return gzip.compress(json.dumps(header).encode() + b"\n" + body, 9, mtime=0)


def from_bytes(data: bytes, path: str | Path) -> Trace:
    """The trace in the content of a file; ``path`` is named in errors."""
    try:
        text = gzip.decompress(data)
    except gzip.BadGzipFile as error:
        if data[:2] == b"\x1f\x8b":
            raise _corrupt(path) from error
        raise _no_trace(path) from error
    except (EOFError, zlib.error) as error:
        raise (_corrupt(path) if data[:2] == b"\x1f\x8b" else _no_trace(path)) from error
    head, _newline, body = text.partition(b"\n")
    try:
        header = json.loads(head)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != _MARK:
        raise _no_trace(path)
    if header.get("version") != FORMAT_VERSION:
        raise _other_version(path, header.get("version"))
    if hashlib.sha256(body).hexdigest() != header.get("sha256"):
        raise _corrupt(path)
    try:
        return from_plain(json.loads(body))
    except (MalformedError, ValueError) as error:
        raise FileError(path, _("is not a complete trace: {reason}").format(reason=error)) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _no_trace(path: str | Path) -> FileError:
    return FileError(path, _("is not a trace"), right=_("make one with: outboard trace WORKLOAD -o FILE.trace"))


def _corrupt(path: str | Path) -> FileError:
    return FileError(path, _("is damaged or cut short"), right=_("copy it again, or trace the model again"))


def _other_version(path: str | Path, version: object) -> FileError:
    newer = isinstance(version, int) and version > FORMAT_VERSION
    return FileError(
        path,
        _("has trace format {version}, this Outboard reads {known}").format(version=version, known=FORMAT_VERSION),
        right=_("update Outboard") if newer else _("trace the model again"),
    )
