"""Starts the page on this machine and tells where it is."""

import socket
import threading
from collections.abc import Callable

from outboard.errors import OutsideError, UsageError
from outboard.i18n import LANGUAGES, _
from outboard.web.guard import LOCAL, Rules, new_token

PORT = 8765
SHORTEST = 16  # of a token


def rules(host: str, token: str | None) -> Rules:
    """Who may ask. Any address but this machine's own needs a token, which is made where none is given."""
    if token is not None and len(token) < SHORTEST:
        raise UsageError(_("--token must have {count} characters or more").format(count=SHORTEST))
    if host in LOCAL:
        return Rules(token=token or "")
    named = frozenset({host, *LOCAL}) if host not in ("0.0.0.0", "::") else frozenset({*LOCAL, *_own_names()})
    return Rules(named, token or new_token())


def _own_names() -> set[str]:
    """The names and addresses under which others reach this machine."""
    names = {socket.gethostname().lower(), socket.getfqdn().lower()}
    try:
        for found in socket.getaddrinfo(socket.gethostname(), None):
            address = str(found[4][0])
            names.add(f"[{address}]" if ":" in address else address)
    except OSError:
        pass
    return names


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes any free one. Raises :class:`OutsideError` where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host.strip("[]"), port))
        opened.listen(128)
    except OSError as error:
        opened.close()
        message = _("cannot listen on {host}, port {port}: {reason}; try another one with --port")
        raise OutsideError(message.format(host=host, port=port, reason=error.strerror or error)) from error
    return opened


def serve(opened: socket.socket, allowed: Rules, ready: Callable[[str], None]) -> None:
    """Serve until interrupted; ``ready`` is told the address."""
    import uvicorn

    from outboard.web.answers import warm
    from outboard.web.app import create

    application = create(allowed)
    state = application.state.outboard
    # The page that most people open is ready before they do.
    threading.Thread(target=warm, args=(state.answers, state.usual, LANGUAGES), daemon=True).start()
    ready(address(opened, allowed))
    config = uvicorn.Config(
        application, log_level="warning", access_log=False, server_header=False, date_header=False, lifespan="off"
    )
    try:
        uvicorn.Server(config).run(sockets=[opened])
    finally:
        state.answers.uploads.close()


def address(opened: socket.socket, allowed: Rules) -> str:
    """What to open in a browser."""
    host, port = opened.getsockname()[:2]
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(
        host, f"[{host}]" if ":" in host else host
    )
    return f"http://{shown}:{port}/" + (f"?token={allowed.token}" if allowed.token else "")
