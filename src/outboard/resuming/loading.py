"""From the newest good checkpoint back into a training."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from outboard.errors import CheckpointError, UsageError
from outboard.i18n import _
from outboard.resuming import archive, folders, sharded
from outboard.resuming.folders import Committed
from outboard.resuming.ranks import Ranks

FROM = "OUTBOARD_RESUME_FROM"
STATE = "state.pt"  # everything, or what is not spread over ranks
RANKS = "ranks.pt"  # one item per rank: where its loader stands and its random numbers
log = logging.getLogger(__name__)


class Position(NamedTuple):
    """How far the training is that goes on."""

    step: int
    samples: int | None


class Saved(NamedTuple):
    """A checkpoint as it was read: ``state`` has the names that it was saved with."""

    step: int
    samples: int | None
    state: dict[str, Any]
    path: Path


def newest(folder: Path, bad: set[Path]) -> Committed | None:
    """The newest checkpoint whose files are what was written; others are noted in ``bad`` and passed over.

    Where the folder has none, the one that the run names to go on from, if it is one of ours.
    """
    for one in folders.committed(folder):
        if one.path in bad:
            continue
        why_not = folders.damage(one)
        if not why_not:
            return one
        bad.add(one.path)
        log.warning(_("checkpoint {path} is passed over: {why}").format(path=one.path, why=why_not))
    named = os.environ.get(FROM)
    one = folders.opened(Path(named)) if named else None
    return one if one is not None and one.path not in bad and not folders.damage(one) else None


def read(one: Committed, weights_only: bool) -> Saved:
    """Read a checkpoint whole, on the host."""
    if one.manifest["backend"] == "dcp":
        text = _("{path} is spread over files of several ranks: put it back into a model with restore()")
        raise CheckpointError(text.format(path=one.path))
    state = archive.read(one.path / STATE, weights_only)
    return Saved(one.manifest["step"], one.manifest["samples"], state, one.path)


def put_back(one: Committed, state: Any, ranks: Ranks, weights_only: bool) -> dict[str, Any]:
    """Put a checkpoint into ``state``; return what this rank noted of its loader and its random numbers."""
    if not hasattr(state, "__setitem__"):
        raise UsageError(
            _("state must be a dict of names and things to restore, not a {kind}").format(kind=type(state).__name__)
        )
    rest = state
    if one.manifest["backend"] == "dcp":
        shared, rest = sharded.split(state)
        sharded.restore(one.path, shared, ranks.savers())
    saved = archive.read(one.path / STATE, weights_only)
    for name in rest:
        if name not in saved:
            text = _("{path} holds no '{name}', but: {names}")
            raise CheckpointError(text.format(path=one.path, name=name, names=", ".join(map(str, saved))))
    for name in list(rest):
        _put(state, name, saved[name], one.path)
    noted = archive.read(one.path / RANKS, weights_only)
    if len(noted) != ranks.world:
        text = _("{path} was saved by {before} ranks and goes on with {now}: data and random numbers begin anew")
        log.warning(text.format(path=one.path, before=len(noted), now=ranks.world))
        return {}
    if ranks.world == 1 and ranks.rank > 0:  # what was noted is of rank 0, and the others do not talk
        log.warning(
            _("rank {rank}: data and random numbers begin anew: torch.distributed is not initialised").format(
                rank=ranks.rank
            )
        )
        return {}
    return noted[ranks.rank]


def _put(state: Any, name: str, saved: Any, path: Path) -> None:
    import torch

    value = state[name]
    load: Callable[[Any], Any] | None = getattr(value, "load_state_dict", None)
    if load is not None:
        try:
            load(saved)
        except Exception as error:  # of the thing itself: torch names the keys and shapes that differ
            told = " ".join(str(error).split())[:500]
            text = _("{path}: '{name}' does not fit what was saved: {error}")
            raise CheckpointError(text.format(path=path, name=name, error=told)) from error
    elif isinstance(value, torch.Tensor) and isinstance(saved, torch.Tensor) and value.shape == saved.shape:
        with torch.no_grad():
            value.copy_(saved)
    else:
        state[name] = saved
