"""The command line: one thin file per command, and one door through which every failure leaves as a single line."""

import os
import sys
from collections.abc import Sequence

from outboard.errors import OutboardError, OutsideError

BROKEN_PIPE = 141  # what a shell reports for a program that SIGPIPE ended
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``outboard`` with ``arguments`` (those of the process by default) and return its exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except OutboardError as error:
        _complain(str(error))
        return error.exit_status
    except KeyboardInterrupt:
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # Whoever read our output has gone; Typer makes SystemExit of that, and of nothing else here.
        # Python would complain once more when it flushes on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        return _outside(error)
    except Exception as error:
        if os.environ.get("OUTBOARD_DEBUG"):
            raise
        return _confess(error)
    return status


def _run(arguments: list[str]) -> int:
    # Looking for plugins means reading the metadata of every installed package: a tenth of the start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from outboard.cli import app, language

    language.use(language.asked_for(arguments))
    return app.run(arguments)


def _outside(error: OSError) -> int:
    """Report what the operating system refused: a full disk, a device that has gone."""
    where = f"{error.filename}: " if error.filename else ""
    _complain(f"{where}{error.strerror or error}")
    return OutsideError.exit_status


def _complain(message: str) -> None:
    from outboard.cli.output import error

    error(message)


def _confess(error: Exception) -> int:
    """Report a bug of our own in one line, and how to see all of it."""
    from outboard.i18n import _

    kind, text = type(error).__name__, " ".join(str(error).split())
    message = _("unexpected {kind}: {text}; this is a bug: please report it with what OUTBOARD_DEBUG=1 prints")
    _complain(message.format(kind=kind, text=text))
    return OutsideError.exit_status
