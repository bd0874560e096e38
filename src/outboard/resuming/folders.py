"""A folder of checkpoints: how one comes to be whole or not to be there, which ones stay, and which can be trusted.

Each is built in a hidden folder of its own and gets its name when all of its files are on the disk; the marker
``committed``, which holds the checksum of the manifest, comes last. What goes is renamed first, so that it vanishes at
once. A kill at any moment leaves a hidden folder or one without marker, and those are nobody's checkpoint.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import secrets
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from outboard.errors import CheckpointError, DiskFullError, OutboardError
from outboard.i18n import _
from outboard.resuming import durable
from outboard.resuming.found import COMMITTED, MANIFEST
from outboard.resuming.lease import Lease, Turn

FORMAT = 1
NAME = re.compile(r"^step-(\d{6,})(?:-(\d+))?$")  # the second number: saved again at the same step
BUILT = re.compile(r"^\.step-\d+\.(\d+)\.(\d+)\.([0-9a-f]+)$")  # generation, turn, process
GONE = ".removed-"
TOKEN = secrets.token_hex(4)  # of this process, together with its number: a fork has the same token
FULL = (errno.ENOSPC, errno.EDQUOT)


class Committed(NamedTuple):
    """A checkpoint with a marker that fits its manifest; later ones are greater."""

    step: int
    samples: int
    again: int  # of several at one step the one that was saved last has the highest
    path: Path
    manifest: dict[str, Any]

    def order(self) -> tuple[int, int, int]:
        """What decides which one is newer."""
        return self.step, self.samples, self.again


def committed(folder: Path) -> list[Committed]:
    """The committed checkpoints of our own layout in ``folder``, the newest first; their files are not read."""
    found = [one for path in _entries(folder) if NAME.match(path.name) and (one := opened(path)) is not None]
    return sorted(found, key=Committed.order, reverse=True)


def opened(path: Path) -> Committed | None:
    """The checkpoint in the folder ``path``; None where it was never committed or its manifest is damaged."""
    try:
        text = (path / MANIFEST).read_bytes()
        marker = (path / COMMITTED).read_text(encoding="utf-8").strip()
        manifest = json.loads(text)
    except (OSError, ValueError):
        return None
    if marker != hashlib.sha256(text).hexdigest() or manifest.get("format") != FORMAT:
        return None
    named = NAME.match(path.name)
    again = int(named[2] or 1) if named else 1
    return Committed(manifest["step"], manifest["samples"] or 0, again, path, manifest)


def damage(one: Committed) -> str:
    """What differs between the files and the manifest, sizes first; nothing where all is as it was written."""
    files = one.manifest["files"]
    for name, told in files.items():
        size = (one.path / name).stat().st_size if (one.path / name).is_file() else None
        if size != told["size"]:
            return _("{name} has {size} of {wanted} bytes").format(name=name, size=size, wanted=told["size"])
    for name, told in files.items():
        if durable.measured(one.path / name) != told:
            return _("the content of {name} is not what was written").format(name=name)
    return ""


def require_room(folder: Path, needed: int) -> None:
    """Raise :class:`DiskFullError` where ``needed`` bytes do not fit on the disk of ``folder``."""
    disk = os.statvfs(str(folder))
    free = disk.f_bavail * disk.f_frsize
    if needed > free:
        text = _("{folder} is full: a checkpoint of {needed} does not fit in the {free} that are free ({reason})")
        told = {"needed": _megabytes(needed), "free": _megabytes(free), "reason": os.strerror(errno.ENOSPC)}
        raise DiskFullError(text.format(folder=folder, **told))


def begin(folder: Path, step: int, turn: Turn) -> Path:
    """A new hidden folder to build the checkpoint of ``step`` in."""
    made = folder / f".step-{step:08d}.{turn.generation}.{turn.turn}.{_own()}{secrets.token_hex(2)}"
    made.mkdir()
    return made


def commit(built: Path, manifest: dict[str, Any], lease: Lease) -> Path:
    """Give a built checkpoint its name and its marker; its files are on the disk. Return its place."""
    text = json.dumps(manifest, indent=1, sort_keys=True).encode()
    durable.replace(built / MANIFEST, text)
    with lease.held():
        place = _free_name(built.parent, manifest["step"])
        built.rename(place)
        durable.sync_folder(place.parent)
        durable.replace(place / COMMITTED, hashlib.sha256(text).hexdigest().encode())
    return place


def tidy(folder: Path, keep: int, lease: Lease, bad: set[Path]) -> None:
    """Remove what is not needed after a commit: all but the newest ``keep``, the ``bad`` ones, and torn leftovers."""
    with lease.held():
        assert lease.turn is not None
        good = [one.path for one in committed(folder) if one.path not in bad]
        gone = [*good[keep:], *(path for path in bad if path.exists()), *_torn(folder, lease.turn)]
        for path in gone:
            _hide(path)
        durable.sync_folder(folder)
    for path in _entries(folder):
        if path.name.startswith(GONE):
            shutil.rmtree(path, ignore_errors=True)


def explained(error: BaseException, folder: Path) -> OutboardError:
    """An error of writing as one of ours."""
    if isinstance(error, OutboardError):
        return error
    if isinstance(error, OSError) and error.errno in FULL:
        text = _("{folder} is full: a checkpoint could not be written ({reason})")
        return DiskFullError(text.format(folder=folder, reason=os.strerror(error.errno or errno.ENOSPC)))
    reason = (error.strerror or str(error)) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
    where = getattr(error, "filename", None) or folder
    return CheckpointError(_("{path}: no checkpoint can be written: {reason}").format(path=where, reason=reason))


def _free_name(folder: Path, step: int) -> Path:
    """``step-N``; never the place of a committed one, and one that a kill left without marker is moved away."""
    again = 1
    while True:
        place = folder / (f"step-{step:08d}" + (f"-{again}" if again > 1 else ""))
        if _unmarked(place):
            _hide(place)
        if not place.exists():
            return place
        again += 1


def _torn(folder: Path, turn: Turn) -> list[Path]:
    """What processes that are no more left half built. Asked while the lease is held: nobody is just committing."""
    return [path for path in _entries(folder) if _given_up(path, turn) or _unmarked(path)]


def _given_up(path: Path, turn: Turn) -> bool:
    built = BUILT.match(path.name)
    return bool(built) and Turn(int(built[1]), int(built[2])) <= turn and not built[3].startswith(_own())


def _unmarked(path: Path) -> bool:
    return bool(NAME.match(path.name)) and not (path / COMMITTED).exists() and _ours(path)


def _own() -> str:
    return f"{TOKEN}{os.getpid():08x}"


def _ours(path: Path) -> bool:
    try:
        return json.loads((path / MANIFEST).read_bytes()).get("format") == FORMAT
    except (OSError, ValueError, AttributeError):
        return False


def _hide(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.rename(path.with_name(f"{GONE}{path.name.lstrip('.')}-{secrets.token_hex(4)}"))


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
