"""``outboard serve``: the page, on this machine alone unless another address is named."""

from importlib.util import find_spec

import typer

from outboard.cli import output, parameters
from outboard.cli.choices import whole
from outboard.errors import MissingExtraError, UsageError
from outboard.i18n import _

HOST = "127.0.0.1"
PORT = 8765
HIGHEST_PORT = 65535
NEEDED = ("babel", "jinja2", "python_multipart", "starlette", "uvicorn")


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        parameters.option("port", "--port", "N", _("Where it listens, 0 for any free one.") + f" [{PORT}]", _port),
        parameters.option("host", "--host", "ADDRESS", _("Another address than this machine's own; needs a token.")),
        parameters.option("token", "--token", "TEXT", _("What opens the page; made where --host needs one.")),
        parameters.flag("browser", "--open", _("Open it in the browser.")),
    ]
    parameters.command(app, "serve", run, _("All of this as a page in the browser, on this machine alone."), given)


def _port(text: str) -> int:
    found = whole("--port", lowest=0)(text)
    if not isinstance(found, int) or found > HIGHEST_PORT:
        raise UsageError(_("--port must be {highest} or less, not {value}").format(highest=HIGHEST_PORT, value=text))
    return found


def run(port: int | None, host: str | None, token: str | None, browser: bool, as_json: bool) -> int:
    """Serve until interrupted."""
    for library in NEEDED:
        if find_spec(library) is None:
            raise MissingExtraError(library.replace("_", "-"), "web", _("the page"))
    from outboard.web import server

    allowed = server.rules(host or HOST, token)
    opened = server.listen(host or HOST, PORT if port is None else port)

    def ready(address: str) -> None:
        if as_json:
            output.write_json({"address": address})
        else:
            output.write(_("Open {address} in a browser; Ctrl+C ends it.").format(address=address))
        if browser:
            import webbrowser

            webbrowser.open(address)

    server.serve(opened, allowed, ready)
    return 0
