"""``outboard.Checkpoint``: save what a training is, so that a kill at any moment costs only what came after."""

from __future__ import annotations

import atexit
import logging
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from outboard.errors import CheckpointError, OutboardError, UsageError
from outboard.i18n import _
from outboard.keeper.signs import AGAIN
from outboard.resuming import data, folders, randomness, stopping
from outboard.resuming.lease import own_generation
from outboard.resuming.loading import Position, Saved, newest, put_back, read
from outboard.resuming.ranks import Ranks
from outboard.resuming.saving import Saver, raise_any
from outboard.resuming.writer import Writer

FOLDER = "OUTBOARD_CHECKPOINT_DIR"
log = logging.getLogger(__name__)


class Checkpoint:
    """Checkpoints of one training in one folder.

    ::

        checkpoint = outboard.Checkpoint()
        state = {"model": model, "optimizer": optimizer}
        position = checkpoint.restore(state, loader)
        ...
        checkpoint.save(step, samples, state, loader)
        checkpoint.stop_if_asked(step, samples, state, loader)

    ``folder`` is by default what the run names, else ``checkpoints``. The newest ``keep`` stay. ``asynchronous``: the
    state is copied to the host while the training waits, and written while it goes on. ``backend``: "torch" writes on
    rank 0, "dcp" on all ranks through torch.distributed.checkpoint; "auto" takes dcp for states that are spread over
    ranks. ``rng``: random numbers go on as they would have. ``weights_only=False`` also takes objects that only pickle
    can write; reading those runs what the file says. ``on_stop`` is called when the run is asked to stop.

    Every rank makes every call. Errors: :class:`CheckpointError`, among them ``DiskFullError`` and ``SupersededError``;
    :class:`UsageError` for a state that cannot be saved.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        keep: int = 3,
        asynchronous: bool = True,
        backend: str = "auto",
        *,
        rng: bool = True,
        weights_only: bool = True,
        on_stop: Callable[[], Any] | None = None,
    ) -> None:
        if isinstance(keep, bool) or not isinstance(keep, int) or keep < 1:
            raise UsageError(_("keep must be a whole number from 1, not {value}").format(value=repr(keep)))
        if backend not in ("auto", "torch", "dcp"):
            raise UsageError(_("backend must be auto, torch or dcp, not {value}").format(value=repr(backend)))
        self.folder = Path(folder or os.environ.get(FOLDER) or "checkpoints").absolute()
        self.asynchronous, self.weights_only = asynchronous, weights_only
        self._ranks = Ranks()
        self._saver = Saver(self.folder, keep, backend, self._ranks, rng, weights_only)
        self._writer = Writer()
        self._stop = stopping.Stop(on_stop)
        self._last: tuple[int, int | None] | None = None  # what this process committed last, or has under way
        atexit.register(self._at_exit)

    def save(self, step: int, samples: int | None, state: Mapping[str, Any], loader: Any = None) -> None:
        """Save ``state``: a dict of things with a ``state_dict()`` and of plain values.

        Returns when the state is copied; what goes wrong in writing is raised by the next call. ``loader`` is anything
        with a ``state_dict()`` that knows its position in the data. ``samples`` may be None where nobody counts.
        """
        self._last = None
        copied = self._saver.copy(step, samples, state, loader, self._writer.settle())
        self._last = (copied.step, copied.samples)
        if copied.here():
            self._writer.start(lambda: self._saver.write(copied))
        if not self.asynchronous:
            self.wait()

    def wait(self) -> None:
        """Wait until everything saved is committed; raise what went wrong."""
        error = self._writer.settle()
        told = self._ranks.all(None if error is None else str(error))
        if any(told):
            self._last = None
        raise_any(error, told)

    def load(self) -> Saved | None:
        """Read the newest good checkpoint as it is, for instance to evaluate it; None where there is none."""
        one = newest(self.folder, self._saver.bad)
        return None if one is None else read(one, self.weights_only)

    def restore(self, state: Any, loader: Any = None) -> Position | None:
        """Put the newest good checkpoint back into ``state`` and ``loader``; None where there is none.

        Things with ``load_state_dict()`` get theirs, tensors are changed in place, and other values are replaced in the
        dict. In a run this process is from here on the one that writes: older ones commit nothing more.
        """
        self.wait()
        stopping.spare_workers(loader)
        decides = self._ranks.rank == 0 or self._ranks.world == 1  # of ranks that cannot talk each looks for itself
        found = self._ranks.first(self._chosen() if decides else None)
        if isinstance(found, OutboardError):
            raise found
        self._saver.goes_on = True
        if found is None:
            return None
        one = folders.opened(Path(found))
        if one is None:
            text = _("{path}: rank {rank} cannot read it; the folder has to be the same for all ranks")
            raise CheckpointError(text.format(path=found, rank=self._ranks.rank))
        mine = put_back(one, state, self._ranks, self.weights_only)
        if loader is not None and mine.get("loader") is not None:
            data.go_on(loader, mine["loader"])
        if self._saver.rng and mine.get("rng") is not None:
            randomness.restore(mine["rng"])
        return Position(one.manifest["step"], one.manifest["samples"])

    @property
    def stopping(self) -> bool:
        """Whether this process was asked to stop. With several ranks :meth:`stop_if_asked` lets all of them agree."""
        self._stop.obeyed = True
        return self._stop.asked

    def stop_if_asked(self, step: int, samples: int | None, state: Mapping[str, Any], loader: Any = None) -> None:
        """If the run was asked to stop: save, wait, and end with the exit code that means "start me again"."""
        if not self._ranks.any(self.stopping):
            return
        error = self._writer.settle()
        if error is not None:  # the last one was lost: all the more reason to save this one
            log.warning(str(error))
            self._last = None
        if not all(self._ranks.all(self._last == (step, samples))):
            self.save(step, samples, state, loader)
        self.wait()
        if self._ranks.rank == 0:
            print(_("outboard: stopped as asked; step {step} is saved").format(step=step), file=sys.stderr, flush=True)
        raise SystemExit(AGAIN)

    def close(self) -> None:
        """Wait, and listen to signals no more."""
        self._stop.forget()
        atexit.unregister(self._at_exit)
        self.wait()

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            self.close()
            return
        self._stop.forget()
        atexit.unregister(self._at_exit)
        self._at_exit()

    def _at_exit(self) -> None:
        """Other ranks may have ended: nothing is asked of them, and an error can only be told."""
        error = self._writer.settle()
        if error is not None:
            print(f"outboard: {error}", file=sys.stderr, flush=True)

    def _chosen(self) -> str | OutboardError | None:
        """Return the path of the checkpoint to go on from, or an error for all ranks."""
        try:
            if self._ranks.rank == 0:
                self._saver.open()
                if own_generation() is not None:
                    self._saver.lease.take()
            one = newest(self.folder, self._saver.bad)
        except (OSError, OutboardError) as error:
            return folders.explained(error, self.folder)
        return None if one is None else str(one.path)
