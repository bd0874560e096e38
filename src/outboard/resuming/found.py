"""Checkpoints in a folder, whoever wrote them, and whether each is whole. Nothing is unpickled.

Only the standard library: these readers also go to places where Outboard is not installed.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

MANIFEST = "manifest.json"  # of our own layout; names the files, their sizes and how far it is
COMMITTED = "committed"  # written last
NUMBERED = re.compile(r"(?:^|[-_.=])(\d+)(?=$|[-_.])")
STEP = re.compile(r"(?:steps?|iter|global_step|checkpoint)[-_=]?(\d+)", re.IGNORECASE)
FILES = (".pt", ".pth", ".ckpt", ".bin", ".safetensors", ".tar")
DEEPEST = 3  # folders below the one named: lightning_logs/version_0/checkpoints
LARGEST_HEADER = 100 << 20  # of a safetensors file [B]


class Found(NamedTuple):
    """One checkpoint; ``why_not`` says what keeps it from being ``complete``."""

    path: str
    step: int | None
    samples: int | None
    complete: bool
    why_not: str = ""


def checkpoints(folder: str | os.PathLike[str]) -> list[Found]:
    """Every checkpoint below ``folder``, the newest first: by samples or step where all tell, else by date."""
    found = _below(Path(folder), DEEPEST)
    for key in (_progress, _at_step):
        if all(key(one) is not None for one in found):
            # Of two at one step, "step-000010" and "step-000010-2", the second was saved later.
            return sorted(found, key=lambda one: (key(one) or 0, one.path), reverse=True)
    return sorted(found, key=lambda one: _date(one.path), reverse=True)


def _progress(one: Found) -> int | None:
    return one.samples


def _at_step(one: Found) -> int | None:
    return one.step


def _below(folder: Path, deeper: int) -> list[Found]:
    found: list[Found] = []
    for entry in _entries(folder):
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if entry.is_dir():
            found += [one] if (one := _folder(entry)) is not None else (_below(entry, deeper - 1) if deeper else [])
        elif entry.suffix in FILES:
            found.append(_file(entry))
    return found


def _folder(path: Path) -> Found | None:
    """Return what a folder is as a checkpoint, None where it only holds others."""
    names = {entry.name for entry in _entries(path)}
    if MANIFEST in names or COMMITTED in names or re.match(r"^step-\d{6,}$", path.name):
        return _own(path, names)
    if any(name.endswith(".distcp") for name in names) or ".metadata" in names:
        whole = ".metadata" in names
        return Found(
            str(path), _step(path.name), None, whole, "" if whole else "has no .metadata: the save did not end"
        )
    if re.match(r"^checkpoint-\d+$", path.name):
        return _hugging_face(path, names)
    return None


def _own(path: Path, names: set[str]) -> Found:
    step = _step(path.name)
    if COMMITTED not in names:
        return Found(str(path), step, None, False, "was not committed: the save did not end")
    manifest = _json(path / MANIFEST)
    if manifest is None:
        return Found(str(path), step, None, False, "its manifest cannot be read")
    step, samples = manifest.get("step", step), manifest.get("samples")
    for name, told in manifest.get("files", {}).items():
        size = _size(path / name)
        if size != told.get("size"):
            return Found(str(path), step, samples, False, "{} has {} of {} bytes".format(name, size, told.get("size")))
    return Found(str(path), step, samples, True)


def _hugging_face(path: Path, names: set[str]) -> Found:
    """Transformers writes ``trainer_state.json`` late, after the weights and the optimizer."""
    step = int(path.name.rsplit("-", 1)[1])
    state = _json(path / "trainer_state.json")
    if state is None:
        return Found(str(path), step, None, False, "has no whole trainer_state.json: the save did not end")
    torn = next((one for name in sorted(names) if (one := _file(path / name)) and not one.complete), None)
    if torn is not None:
        return Found(str(path), step, None, False, f"{Path(torn.path).name} {torn.why_not}")
    return Found(str(path), state.get("global_step", step), None, True)


def _file(path: Path) -> Found:
    step = _step(path.name)
    if path.suffix == ".safetensors":
        why_not = _torn_safetensors(path)
    elif path.suffix in FILES:
        why_not = _torn_archive(path)
    else:
        why_not = ""
    return Found(str(path), step, None, not why_not, why_not)


def _torn_archive(path: Path) -> str:
    """``torch.save`` writes a zip whose directory comes last: a file that was cut has none."""
    try:
        with zipfile.ZipFile(str(path)) as archive:
            last = max(archive.infolist(), key=lambda one: one.header_offset, default=None)
            if last is not None:
                with archive.open(last) as entry:
                    while entry.read(1 << 20):  # its checksum is compared at its end
                        pass
    except (OSError, zipfile.BadZipFile, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        return f"is torn: {error}"
    return ""


def _torn_safetensors(path: Path) -> str:
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            if not 2 <= size <= LARGEST_HEADER:
                return "is torn: its header cannot be so long"
            header = json.loads(file.read(size))
    except (OSError, ValueError) as error:
        return f"is torn: {error}"
    ends = [told["data_offsets"][1] for name, told in header.items() if name != "__metadata__"]
    wanted = 8 + size + max(ends, default=0)
    has = _size(path)
    return "" if has == wanted else f"is torn: {has} of {wanted} bytes"


def _step(name: str) -> int | None:
    found = STEP.search(name)
    if found is None and not re.search(r"epoch", name, re.IGNORECASE):
        found = NUMBERED.search(Path(name).stem if Path(name).suffix in FILES else name)
    return int(found.group(1)) if found else None


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _json(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _date(path: str) -> float:
    """When a checkpoint was written; a folder's own date is that of its newest entry's arrival."""
    try:
        return Path(path).stat().st_mtime
    except OSError:
        return 0.0
