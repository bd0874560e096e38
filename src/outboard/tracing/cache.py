"""Traces kept between runs, because tracing takes seconds and opening a trace takes milliseconds.

One file per trace, named after everything that the recording depends on, so that nothing ever has to be invalidated.
"""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from outboard.errors import FileError
from outboard.tracing import file
from outboard.tracing.fingerprint import content_hash, library_versions, named_files, recorder_hash
from outboard.types.job import ADAPTATION
from outboard.types.trace import FORMAT_VERSION, Trace

if TYPE_CHECKING:
    from outboard.types.job import Job

# The fields of a job that change what is recorded; the batch, the optimizer and the data do not.
RECORDED_FIELDS = (
    "workload",
    "task",
    "precision",
    "image_size",
    "seq_len",
    "memory_format",
    "attention",
    "grad_checkpointing",
    *ADAPTATION,
)


def directory() -> Path:
    """Where traces are kept: ``OUTBOARD_CACHE_DIR``, else the user's cache directory."""
    chosen = os.environ.get("OUTBOARD_CACHE_DIR")
    if not chosen:
        import platformdirs

        chosen = platformdirs.user_cache_dir("outboard", appauthor=False)
    return Path(chosen) / "traces"


def key(job: "Job") -> str:
    """Name of the trace of a job: 32 hexadecimal digits."""
    parts = {
        "format": FORMAT_VERSION,
        "recorder": recorder_hash(),
        "versions": library_versions(),
        "files": content_hash(named_files(job.workload)),
        **{name: getattr(job, name) for name in RECORDED_FIELDS},
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def get(name: str) -> Trace | None:
    """The trace of that name without its optimizer, or None; a file that cannot be used is thrown away."""
    path = directory() / (name + file.SUFFIX)
    if not path.exists():
        return None
    try:
        return file.load_bare(path)
    except FileError:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return None


def put(name: str, trace: Trace) -> None:
    """Keep a trace. A cache that cannot be written is no reason to fail: the trace is there already."""
    with suppress(OSError, FileError):
        directory().mkdir(parents=True, exist_ok=True)
        file.save(trace, directory() / (name + file.SUFFIX))
