"""What a recording depends on, as hashes: our own recorder, the libraries, and the files that a workload names."""

import hashlib
from functools import cache
from pathlib import Path

LIBRARIES = ("torch", "timm", "torchvision", "transformers")

# Whatever decides the numbers of a trace once the model is given.
_OUR_CODE = (
    "recorder/**/*.py",
    "sources/**/*.py",
    "adapt/**/*.py",
    "sources/**/*.toml",
    "raw.py",
    "merge.py",
    "fusion.py",
    "affine.py",
    "parameters.py",
)


@cache
def recorder_hash() -> str:
    """Hash of the code that records and merges, twelve hexadecimal digits."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted({path for pattern in _OUR_CODE for path in here.glob(pattern)}):
        digest.update(path.relative_to(here).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


@cache
def library_versions() -> dict[str, str]:
    """Installed version of each library that models come from, without importing any."""
    from importlib.metadata import PackageNotFoundError, version  # slow, and no trace that ships needs it

    found: dict[str, str] = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def named_files(workload: str) -> list[Path]:
    """Files that a workload names: ``hf:DIR``, ``hf:DIR/config.json`` or ``python:FILE.py:FUNCTION``."""
    name = workload.partition(":")[2]
    candidates = [Path(name), Path(name) / "config.json", Path(name.rpartition(":")[0] or name)]
    return [path for path in dict.fromkeys(candidates) if path.is_file()]


def content_hash(paths: list[Path]) -> str:
    """Hash of the content of some files, whatever they are called."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
