"""``python3 keeper.pyz keep|detach|status|stop FOLDER``, and ``exec -- COMMAND``.

``detach`` and ``exec`` read secrets from standard input, a JSON object, into their environment: on no command line, in
no file.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time

from outboard.keeper.folder import ASKED, Folder
from outboard.keeper.rest import rest

BUSY = 75  # another keeper holds the folder


def main(arguments: list[str]) -> int:
    """Do what is asked with the folder; return the exit status."""
    if len(arguments) < 2 or arguments[0] not in ("keep", "detach", "status", "stop", "exec"):
        print("usage: keeper keep|detach|status FOLDER, stop FOLDER [save|now], exec -- COMMAND", file=sys.stderr)
        return 2
    if arguments[0] in ("detach", "exec"):
        os.environ.update(json.loads(sys.stdin.read() or "{}"))
    if arguments[0] == "exec":
        os.execvp(arguments[2], arguments[2:])
    folder = Folder(os.path.abspath(arguments[1]))
    if arguments[0] == "status":
        print(json.dumps(status(folder)))
        return 0
    if arguments[0] == "stop":
        folder.ask_to_stop(arguments[2] if len(arguments) > 2 else "save")
        return 0
    if arguments[0] == "detach":
        return detach(folder)
    return keep(folder)


def keep(folder: Folder) -> int:
    """Be the keeper of the folder, unless it has one."""
    from outboard.keeper.guard import guarded
    from outboard.keeper.keep import Keeper

    with folder.held() as mine:
        if not mine:
            print(f"another process keeps {folder.path}", file=sys.stderr)
            return BUSY
        return guarded(lambda: Keeper(folder).keep())


def detach(folder: Folder) -> int:
    """Start a keeper that outlives this session and its terminal; return once it holds the folder."""
    if folder.kept():
        print(f"another process keeps {folder.path}", file=sys.stderr)
        return BUSY
    if os.fork():
        until = time.monotonic() + 20.0
        while time.monotonic() < until:
            if folder.kept() or folder.state().get("generation") == folder.asked()["generation"]:
                return 0
            rest(0.02)
        print("the keeper did not start; see %s" % (folder.path / "keeper.txt"), file=sys.stderr)
        return 1
    os.setsid()
    if os.fork():
        os._exit(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    told = os.open(str(folder.path / "keeper.txt"), os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    for source, target in ((nothing, 0), (told, 1), (told, 2)):
        os.dup2(source, target)
    os._exit(keep(folder))


def status(folder: Folder) -> dict[str, object]:
    """How the run is, as seen at the place itself. What an earlier start left says nothing of one under way."""
    state = folder.state()
    since = state.get("beat")
    with contextlib.suppress(FileNotFoundError):
        if state.get("generation") != folder.asked()["generation"]:
            state = {**state, "state": "starting", "why": ""}
            since = (folder.path / ASKED).stat().st_mtime
    age = None if since is None else max(0.0, time.time() - float(since))
    return {"alive": folder.kept(), "age": age, "state": state}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
