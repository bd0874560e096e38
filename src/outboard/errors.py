"""Every error Outboard raises on purpose, and the exit status each one means.

::

    OutboardError
    ├── UsageError (2)           the person asked for something that cannot be
    │   ├── UnitError            a quantity that is not a number with a fitting unit
    │   ├── UnknownNameError     a device, link, host, workload or precision nobody knows
    │   ├── FileError            a file that is missing, malformed or from another version
    │   ├── JobError             a job that contradicts itself or that the model refuses
    │   └── MissingExtraError    a library is needed that the base install does not bring
    └── OutsideError (3)         something outside failed: network, provider, scheduler, driver
        └── CheckpointError      a checkpoint that cannot be written or read
            ├── DiskFullError    there is no room for it
            └── SupersededError  a later process writes checkpoints into the folder now

Each message says what was given, what would be right, and what to do next, in one line.
"""

from collections.abc import Sequence
from pathlib import Path

from outboard.i18n import _


class OutboardError(Exception):
    """Root of the tree; ``exit_status`` is what the command line returns."""

    exit_status = 1


class UsageError(OutboardError):
    """Wrong usage, wrong file, wrong value: exit status 2."""

    exit_status = 2


class OutsideError(OutboardError):
    """A failure outside Outboard: exit status 3."""

    exit_status = 3


class CheckpointError(OutsideError):
    """A checkpoint that cannot be written or read; nothing that was committed before is touched."""


class DiskFullError(CheckpointError):
    """The disk has no room for a checkpoint."""


class SupersededError(CheckpointError):
    """A later process of the same training writes checkpoints now; this one must save and remove nothing more."""


class UnitError(UsageError):
    """A text that is not a quantity of the wanted dimension."""

    def __init__(self, text: str, dimension: str, example: str) -> None:
        super().__init__(
            _("'{text}' is not a quantity in {dimension}; write it like '{example}'").format(
                text=text, dimension=dimension, example=example
            )
        )


class UnknownNameError(UsageError):
    """A name that is in no table; lists the nearest ones."""

    def __init__(self, kind: str, name: str, near: Sequence[str] = (), hint: str = "") -> None:
        message = _("unknown {kind} '{name}'").format(kind=kind, name=name)
        if near:
            message += "; " + _("nearest: {names}").format(names=", ".join(near))
        if hint:
            message += "; " + hint
        super().__init__(message)
        self.near = tuple(near)


class FileError(UsageError):
    """A file that cannot be used; names the file, the key, the value and the right form."""

    def __init__(self, path: str | Path, problem: str, key: str = "", right: str = "") -> None:
        message = f"{path}: " + (f"{key}: " if key else "") + problem
        super().__init__(message + (f"; {right}" if right else ""))
        self.path = str(path)
        self.key = key


class JobError(UsageError):
    """A job that cannot be: an impossible option, or a model that refuses its input."""


class MissingExtraError(UsageError):
    """A library outside the base install is needed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            _("{purpose} needs {package}; install it with: pip install 'outboard[{extra}]'").format(
                purpose=purpose, package=package, extra=extra
            )
        )
