"""What frameworks and drivers can do with a GPU: facts from ``data/frameworks.toml``."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from outboard.catalog.reader import read_toml, reject_unknown
from outboard.compat.logic import Truth
from outboard.compat.versions import version

PATH = Path(__file__).parent / "data" / "frameworks.toml"
KEYS = {
    "pytorch": {"source", "builds"},
    "cuda": {"source", "oldest_driver"},
    "rocm": {"source", "linux", "windows"},
}


@cache
def facts() -> dict[str, Any]:
    """The file, its keys checked."""
    top = read_toml(PATH)
    reject_unknown(PATH, top, set(KEYS))
    for name, keys in KEYS.items():
        reject_unknown(PATH, top[name], keys, name)
    return top


def holds_code_for(architectures: Iterable[str], compute_capability: str) -> Truth:
    """Whether a build for ``architectures`` runs on a GPU of this compute capability.

    >>> holds_code_for(["sm_75", "sm_80"], "8.9"), holds_code_for(["sm_70", "compute_70"], "6.0")
    (True, False)
    >>> holds_code_for(["sm_80", "compute_80"], "12.0"), holds_code_for(["sm_80"], "")
    (True, None)
    """
    wanted = _capability(compute_capability)
    if wanted is None:
        return None
    for name in architectures:
        kind, _bar, digits = name.partition("_")
        digits = digits.rstrip("af")  # sm_90a holds for 9.0 alone, and is never the only entry of its kind
        had = (int(digits[:-1]), int(digits[-1]))
        if (kind == "compute" and had <= wanted) or (kind == "sm" and had[0] == wanted[0] and had[1] <= wanted[1]):
            return True
    return False


def build_runs(framework_version: str | None, cuda: str | None, compute_capability: str) -> Truth:
    """Whether the official PyTorch of this version and CUDA runs on the GPU; unknown where builds differ."""
    if framework_version is None and cuda is None:
        return None
    asked, runtime = version(framework_version or ""), version(cuda or "")
    fitting = [
        build
        for build in facts()["pytorch"]["builds"]
        if (asked is None or _bound(build["from"]) <= asked < _bound(build["before"]))
        and (runtime is None or _bound(build["cuda"]) == runtime)
    ]
    return _agreed([holds_code_for(build["architectures"], compute_capability) for build in fitting])


def driver_runs(driver: str | None, cuda: str | None, os: str | None) -> Truth:
    """Whether the driver is new enough for programs built for this CUDA.

    >>> driver_runs("470.57", "12.4", "linux"), driver_runs("535.54", "12.4", "linux"), driver_runs(None, "12", "linux")
    (False, True, None)
    """
    have, runtime = version(driver or ""), version(cuda or "")
    if have is None or runtime is None or os not in ("linux", "windows", "wsl2"):
        return None
    system = "linux" if os == "linux" else "windows"
    bounds = [row[system] for row in facts()["cuda"]["oldest_driver"] if row["cuda"] == runtime[0]]
    return have >= _bound(bounds[0]) if bounds else None


def rocm_listed(family: str, kind: str, os: str | None) -> Truth:
    """Whether ROCm's list for this system holds GPUs of this family.

    >>> rocm_listed("rdna3", "consumer", "linux"), rocm_listed("rdna1", "consumer", "linux")
    (True, False)
    """
    lists: dict[str, dict[str, list[str]]] = facts()["rocm"]
    table = lists[os] if os in ("linux", "windows") else {}
    if family in table.get("listed", []):
        return True
    return False if kind == "consumer" and family in table.get("consumer_not_listed", []) else None


def _agreed(answers: Sequence[Truth]) -> Truth:
    return answers[0] if answers and all(answer is answers[0] for answer in answers) else None


def _bound(text: str) -> tuple[int, ...]:
    return version(text) or (0,)


def _capability(text: str) -> tuple[int, int] | None:
    major, _dot, minor = text.partition(".")
    return (int(major), int(minor or 0)) if major.isdecimal() else None
