"""One state in one file, as ``torch.save`` writes it; read without running anything it holds."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from outboard.errors import CheckpointError
from outboard.i18n import _
from outboard.resuming.durable import Hashed
from outboard.resuming.plain import decoded


def write(path: Path, tree: Any) -> dict[str, Any]:
    """Write a new file and flush it to the disk; return its size and checksum."""
    import torch

    file = Hashed(path)
    try:
        torch.save(tree, file)  # type: ignore[arg-type]
        file.close()
    except Exception as error:
        with contextlib.suppress(OSError):
            file.close()
        if file.error is not None and file.error is not error:  # torch: "unexpected pos 1024 vs 512"
            raise file.error from error
        raise
    return file.told()


def read(path: Path, weights_only: bool = True) -> Any:
    """Return the state in ``path``, on the host."""
    import torch

    try:
        return decoded(torch.load(path, map_location="cpu", weights_only=weights_only))
    except Exception as error:  # torch raises many kinds
        line = next(iter(str(error).splitlines()), "")[:200]
        raise CheckpointError(_("{path}: cannot be read: {error}").format(path=path, error=line)) from error
