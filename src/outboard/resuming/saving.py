"""One save: what is looked at and copied while the training waits, and what is written while it goes on."""

from __future__ import annotations

import contextlib
import logging
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from outboard.errors import CheckpointError, OutboardError, UsageError
from outboard.i18n import _
from outboard.resuming import archive, data, durable, folders, randomness, sharded
from outboard.resuming.copies import Copier
from outboard.resuming.lease import Lease
from outboard.resuming.loading import RANKS, STATE
from outboard.resuming.plain import encoded
from outboard.resuming.ranks import Ranks

SLACK = 1 << 20  # for what is written beside the state [B]
log = logging.getLogger(__name__)


class Copied(NamedTuple):
    """What one save is about to write."""

    step: int
    samples: int | None
    backend: str
    tree: Any  # plain values and tensors of the host; None where another rank writes
    ready: Callable[[], None]
    ranks: list[Any]
    built: Path | None = None  # where all ranks write, made before
    future: Any = None  # ends when all ranks have written

    def here(self) -> bool:
        """Whether there is something to do in this process."""
        return self.tree is not None or self.future is not None


class Saver:
    """Saves into one folder."""

    def __init__(self, folder: Path, keep: int, backend: str, ranks: Ranks, rng: bool, strict: bool) -> None:
        self.folder, self.keep, self.backend, self.rng = folder, keep, backend, rng
        self.ranks = ranks
        self.lease = Lease(folder)
        self.bad: set[Path] = set()  # those whose files are not what was written
        self.goes_on = False  # whether what lies in the folder is known to be behind us
        self._copier, self._shared_copier = Copier(strict), Copier(strict)

    def open(self) -> None:
        """Make the folder, or say why not."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise folders.explained(error, self.folder) from error

    def copy(
        self, step: int, samples: int | None, state: Mapping[str, Any], loader: Any, error: BaseException | None
    ) -> Copied:
        """Look at everything that can be wrong, ``error`` of the last save included, and copy; all ranks agree."""
        step, samples = _whole("step", step), None if samples is None else _whole("samples", samples)
        if not isinstance(state, Mapping):
            raise UsageError(
                _("state must be a dict of names and things to save, not a {kind}").format(kind=type(state).__name__)
            )
        backend = self._chosen(state)
        shared, rest = sharded.split(state) if backend == "dcp" else ({}, state)
        tree, ready, mine, size = None, _at_once, None, sharded.size(shared)
        try:
            if error is not None:
                raise error
            if self.ranks.rank == 0:
                self._may_write(step)
                tree, own, ready = self._copier.copy(rest)
                size += own
                folders.require_room(self.folder, size + SLACK)
            mine = _stands(loader, self.rng)
        except Exception as found:
            error = found if isinstance(found, OutboardError) else folders.explained(found, self.folder)
        told = self.ranks.all((None if error is None else str(error), size, mine))
        raise_any(error, [each[0] for each in told])
        copied = Copied(step, samples, backend, tree, ready, [each[2] for each in told])
        return self._begun(copied, shared, sum(each[1] for each in told)) if backend == "dcp" else copied

    def write(self, copied: Copied) -> None:
        """In the background: write, flush, commit, tidy. Rank 0's part of it begins when all ranks have written."""
        built = copied.built
        try:
            if copied.future is not None:
                copied.future.result()
            if self.ranks.rank != 0:
                return
            self.lease.check()
            copied.ready()
            built = built or folders.begin(self.folder, copied.step, self.lease.take())
            folders.commit(built, self._manifest(copied, self._files(copied, built)), self.lease)
        except BaseException as error:
            if built is not None and self.ranks.rank == 0:
                shutil.rmtree(built, ignore_errors=True)
            with contextlib.suppress(OSError):
                self.lease.check()  # a later process may have taken our folder away: that is the better reason
            raise folders.explained(error, self.folder) from error
        try:
            folders.tidy(self.folder, self.keep, self.lease, self.bad)
        except OSError as error:
            log.warning(_("{folder}: old checkpoints stay: {error}").format(folder=self.folder, error=error))

    def _chosen(self, state: Mapping[str, Any]) -> str:
        if self.backend != "auto":
            return self.backend
        return "dcp" if sharded.is_spread(state) else "torch"

    def _may_write(self, step: int) -> None:
        """Make sure that the folder is ours, and that nothing in it is ahead of us."""
        self.open()
        self.lease.check()
        ahead = [] if self.goes_on else [one for one in folders.committed(self.folder) if one.step > step]
        if ahead:
            text = _("{path} is ahead of step {step}: call restore() before the training, or save into another folder")
            raise CheckpointError(text.format(path=ahead[0].path, step=step))
        self.goes_on = True

    def _begun(self, copied: Copied, shared: Mapping[str, Any], size: int) -> Copied:
        """Make one folder for all ranks, and let each of them begin to write into it."""
        made: Any = None
        if self.ranks.rank == 0:
            try:
                folders.require_room(self.folder, size + SLACK)
                made = folders.begin(self.folder, copied.step, self.lease.take())
            except (OSError, OutboardError) as error:
                made = folders.explained(error, self.folder)
        made = self.ranks.first(made)
        if isinstance(made, OutboardError):
            raise made
        return copied._replace(built=made, future=sharded.begin(made, shared, self.ranks.savers(), self._shared_copier))

    def _files(self, copied: Copied, built: Path) -> dict[str, Any]:
        """Write what rank 0 writes; return size and checksum of every file."""
        files = {path.name: durable.measured(path, sync=True) for path in sorted(built.iterdir())}
        files[STATE] = archive.write(built / STATE, copied.tree)
        files[RANKS] = archive.write(built / RANKS, copied.ranks)
        return files

    def _manifest(self, copied: Copied, files: dict[str, Any]) -> dict[str, Any]:
        told = {"format": folders.FORMAT, "step": copied.step, "samples": copied.samples, "backend": copied.backend}
        return {**told, **self.lease.take()._asdict(), "world": len(copied.ranks), "time": time.time(), "files": files}


def raise_any(error: BaseException | None, told: list[str | None]) -> None:
    """Raise this rank's own error, else that of another one: all ranks fail together."""
    if error is not None:
        raise error
    for rank, text in enumerate(told):
        if text is not None:
            raise CheckpointError(_("rank {rank}: {error}").format(rank=rank, error=text))


def _stands(loader: Any, rng: bool) -> dict[str, Any]:
    """Where this rank's loader and random numbers stand, as plain values of their own."""
    state = {"loader": data.position(loader), "rng": randomness.state() if rng else None}
    return encoded(state, "", lambda tensor, _path: tensor.detach().cpu().clone())


def _whole(name: str, value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = -1
    if number < 0 or number != value:
        text = _("{name} has to be a whole number from 0, not {value}")
        raise UsageError(text.format(name=name, value=repr(value)[:80]))
    return number


def _at_once() -> None:
    """Nothing to wait for."""
