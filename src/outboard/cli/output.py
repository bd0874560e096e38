"""The two streams: results on stdout, everything else on stderr."""

import json
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any

from outboard.i18n import _

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

WIDEST = 100  # wider lines are harder to read, not easier


def show(*parts: "RenderableType") -> None:
    """Print a result for people."""
    from rich.console import Console

    console = Console(file=sys.stdout, highlight=False, markup=False)
    console.width = min(console.width, WIDEST)
    with console.capture() as drawn:
        for part in parts:
            console.print(part)
    write("".join(f"{line.rstrip()}\n" for line in drawn.get().splitlines()))


def write(text: str) -> None:
    """Print a result as it is."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def write_json(document: Any) -> None:
    """Print a result for programs. NaN and infinities are bugs, not JSON."""
    write(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def error(message: str) -> None:
    """Print the one line that says what went wrong."""
    _aside(_("error: {message}"), message, "bold red")


def warn(message: str) -> None:
    """Print one line that the reader should know but that is not the result."""
    _aside(_("warning: {message}"), message, "yellow")


def aside(message: str) -> None:
    """Print one line on what is being done."""
    print(message, file=sys.stderr, flush=True)


def waiting(message: str) -> AbstractContextManager[object]:
    """Show that something takes a while, where a person looks on."""
    return _stderr().status(message) if sys.stderr.isatty() else nullcontext()


def _aside(form: str, message: str, style: str) -> None:
    line = form.format(message=" ".join(message.split()))
    if _colourful():
        from rich.markup import escape

        _stderr().print(f"[{style}]{escape(line)}[/]", soft_wrap=True)
    else:
        print(line, file=sys.stderr)


def _colourful() -> bool:
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")


@cache
def _stderr() -> "Console":
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def rows(limit: int | None, usual: int) -> int | None:
    """How many rows to show: what ``--limit`` says, where 0 means all of them (None), else the usual number."""
    return usual if limit is None else limit or None
