"""``outboard logs``: what a run printed, and with ``-f`` what it prints from now on."""

import sys
import time

import typer

from outboard.cli import output, parameters
from outboard.cli.choices import whole
from outboard.errors import OutsideError
from outboard.i18n import _

POLL = 1.0  # [s]
TAIL = 1 << 16  # bytes shown of a long log


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        parameters.argument("run", "RUN", _("Id or name of a run.")),
        parameters.flag("follow", "--follow, -f", _("Go on until the run is over.")),
        parameters.option("lines", "--lines", "N", _("Only the last lines."), whole("--lines", lowest=1)),
    ]
    parameters.command(app, "logs", logs, _("What a run printed."), given)


def logs(run: str, follow: bool, lines: int | None, as_json: bool) -> int:
    """Print it."""
    from outboard.running import look, where
    from outboard.store import Store

    store = Store()
    found = look.find(store, run)
    executor = where.executor(where.read(found.where))
    data = executor.log(found.folder)
    if as_json:
        output.write_json({"run": found.id, "log": _last(data, lines).decode("utf-8", "replace")})
        return 0
    _print(_last(data, lines))
    offset = len(data)
    while follow:
        state = look.look(found, store).state
        try:
            data = executor.log(found.folder, offset)
        except OutsideError as error:
            output.warn(str(error))
            data = b""
        _print(data)
        offset += len(data)
        if state in look.SETTLED:
            break
        time.sleep(POLL)
    return 0


def _last(data: bytes, lines: int | None) -> bytes:
    return data if lines is None else b"".join(data.splitlines(keepends=True)[-lines:])


def _print(data: bytes) -> None:
    sys.stdout.write(data.decode("utf-8", "replace"))
    sys.stdout.flush()
