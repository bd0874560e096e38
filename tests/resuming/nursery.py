"""Starts real processes quickly: torch is imported once here, and each process is a fork of this one.

``python nursery.py`` reads one JSON object a line: ``{"start": NAME, "arguments": {...}, "variables": {...}, "out":
PATH}`` answers the process's id, ``{"wait": PID}`` its exit code, negative for a signal.
"""

import atexit
import gc
import json
import os
import sys
import threading
import traceback
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
warnings.filterwarnings("ignore", message="'set_vital' is deprecated")  # torchdata asks torch for it

import scripts  # noqa: E402


def main() -> int:
    scripts.warm_up()
    gc.freeze()  # what is there already is never looked through, and so never copied
    for line in sys.stdin:
        asked = json.loads(line)
        if "wait" in asked:
            _pid, status = os.waitpid(asked["wait"], 0)
            answer(os.waitstatus_to_exitcode(status))
            continue
        pid = os.fork()
        if pid == 0:
            become(asked)
            return run(asked)
        answer(pid)
    return 0


def run(asked: dict) -> int:
    """Run a script to its end; as torch is slow to take down, only those that test it end as Python does."""
    script = getattr(scripts, asked["start"])
    if asked["start"] in ("unwaited", "held_workers"):
        return script(**asked["arguments"])
    code = 0
    try:
        script(**asked["arguments"])
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stderr.flush()
    os._exit(code)


def become(asked: dict) -> None:
    """The rest of this process is the script's."""
    os.setpgid(0, 0)
    os.environ.update(asked["variables"])
    out = os.open(asked["out"], os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(out, 1)
    os.dup2(out, 2)


def answer(value: int) -> None:
    print(value, flush=True)


if __name__ == "__main__":
    sys.exit(main())
