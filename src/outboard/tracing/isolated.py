"""Tracing in a process of its own: a person's file can crash, exit or print there without harm here.

``python -m outboard.tracing.isolated JOB OUT`` reads a job as JSON and writes its trace, or as JSON the reason why not.
"""

import contextlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from outboard.errors import FileError, JobError, OutboardError
from outboard.i18n import _
from outboard.tracing import file
from outboard.types.trace import Trace

if TYPE_CHECKING:
    from outboard.types.job import Job


def record_isolated(job: "Job") -> Trace:
    """The trace of ``job`` without its optimizer, recorded by a child process; what the child prints goes to stderr.

    Raises :class:`~outboard.errors.JobError` with the child's own one-line reason.
    """
    with tempfile.TemporaryDirectory(prefix="outboard-") as folder:
        out = Path(folder) / ("step" + file.SUFFIX)
        command = [sys.executable, "-m", "outboard.tracing.isolated", job.model_dump_json(exclude_unset=True), str(out)]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        # Handed on by hand: where our own standard error is not a file, a child cannot inherit it.
        sys.stderr.write(done.stdout)
        reason = out.with_suffix(".json")
        if reason.exists():
            raise JobError(json.loads(reason.read_text(encoding="utf-8")))
        if not out.exists():
            message = _("the process that ran it ended with status {status} before its model was traced")
            raise FileError(job.workload, message.format(status=done.returncode))
        return file.load_bare(out)


def main(text: str, out: Path) -> None:
    """What the child does."""
    from outboard.tracing.live import record_trace
    from outboard.types.job import Job

    try:
        # The trace is written to a file, so that nothing the person's code prints can be mistaken for it.
        with contextlib.redirect_stdout(sys.stderr):
            file.save(record_trace(Job.model_validate_json(text)), out)
    except OutboardError as error:
        out.with_suffix(".json").write_text(json.dumps(str(error)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
