"""A process that stays with a run when the terminal is closed: ``python -m outboard.running.watcher RUN``."""

import os
import subprocess
import sys

from outboard.running.look import find
from outboard.running.watch import watch
from outboard.store import Store
from outboard.types.run import Run


def detach(run: Run, store: Store) -> None:
    """Leave one behind. What it says goes to a file beside the store."""
    log = store.path.parent / f"watch-{run.id}.txt"
    opened = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    try:
        command = [sys.executable, "-m", "outboard.running.watcher", run.id]
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=opened, stderr=opened, start_new_session=True, close_fds=True
        )
    finally:
        os.close(opened)


def main(id: str) -> int:
    """Stay until the run is over."""
    store = Store()
    watch(find(store, id), store, tell=lambda text: print(text, flush=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
