"""One short text for everything that the errors depend on: the model's code, its coefficients, the cases."""

import hashlib
from pathlib import Path

from accuracy.reference import ROOT
from outboard.tracing.fingerprint import recorder_hash

# What a forecast of step time passes through, and what chooses the rows it is judged on.
FILES = (
    "src/outboard/perf/time/*.py",
    "src/outboard/perf/time/*.toml",
    "src/outboard/perf/input/*.py",
    "src/outboard/perf/input/*.toml",
    "src/outboard/perf/collectives/*.py",
    "src/outboard/perf/collectives/*.toml",
    "src/outboard/perf/serving/*.py",
    "src/outboard/perf/serving/*.toml",
    "src/outboard/catalog/data/models.toml",
    "src/outboard/perf/precision.py",
    "src/outboard/uncertainty/*.py",
    "src/outboard/uncertainty/*.toml",
    "src/outboard/validation/settings.toml",
    "src/outboard/types/job.py",
    "accuracy/sets.toml",
    "accuracy/refits.json",
    "accuracy/cases/sample.csv",
)


def of_model() -> str:
    """The hash, 16 hexadecimal digits; comments count, for nobody can tell them from code by looking at bytes."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in FILES for path in ROOT.glob(pattern)}):
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(_bytes(path))
    digest.update(recorder_hash().encode())  # another way to record a model is another forecast of it
    return digest.hexdigest()[:16]


def _bytes(path: Path) -> bytes:
    return path.read_bytes().replace(b"\r\n", b"\n")
