"""Random kills of everything that belongs to a run: ``python -m tests.running.soak 200`` for many of them."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import replace
from pathlib import Path

from outboard.executors.local import Local
from outboard.keeper import processes
from outboard.keeper.folder import Folder
from outboard.types.run import Launch
from tests.engines.fixtures import SCRIPT
from tests.executors.contract import launch

STEPS_FOR_EACH = 12  # so that every kill finds something to interrupt
VICTIMS = ("script", "keeper", "everything")


def keepers(folder: str) -> list[int]:
    """The keeper of a folder and its guardian."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if folder.encode() in words:
            found.append(int(entry.name))
    return sorted(found)


def soak(kills: int, seed: int, base: Path) -> dict[str, int]:
    """Kill that often at random moments; raises AssertionError where anything was lost, repeated or left behind."""
    draw, counted = random.Random(seed), dict.fromkeys(VICTIMS, 0)
    total = STEPS_FOR_EACH * kills
    work = base / "work"
    work.mkdir()
    shutil.copy(SCRIPT, work / "train.py")
    variables = {"TOTAL": str(total), "EACH": "0.02", "EVERY": "1"}
    asked = replace(launch(work, variables=variables, tries=100), total_samples=4.0 * total)
    executor = Local(str(base / "runs"))
    folder = executor.prepare(asked)
    executor.start(asked, folder)
    while sum(counted.values()) < kills:
        time.sleep(draw.uniform(0.2, 0.8))
        asked = carried_on(executor, asked, folder)
        if executor.see(folder, "").state == "done":
            break
        victim = draw.choices(VICTIMS, (6, 2, 2))[0]
        pids = {"script": processes.leftovers(folder), "keeper": keepers(folder)[-1:]}
        pids["everything"] = [*keepers(folder), *processes.leftovers(folder)]
        for pid in pids[victim]:
            processes.send(pid, signal.SIGKILL)
        counted[victim] += bool(pids[victim])
    until = time.monotonic() + 600.0
    while (seen := executor.see(folder, "")).state != "done":
        assert time.monotonic() < until and seen.state != "failed", seen
        asked = carried_on(executor, asked, folder)
        time.sleep(0.2)
    _check(work, total, folder)
    return counted


def carried_on(executor: Local, asked: Launch, folder: str) -> Launch:
    """Start the next generation of a run that has nobody left."""
    if executor.see(folder, "").state != "dead":
        return asked
    asked = replace(asked, generation=asked.generation + 1)
    executor.prepare(asked)
    executor.start(asked, folder)
    return asked


def _check(work: Path, total: int, folder: str) -> None:
    alone = work.parent / "alone"
    alone.mkdir()
    variables = {"TOTAL": str(total), "EACH": "0", "EVERY": "1000000"}
    bare = {name: value for name, value in os.environ.items() if not name.startswith("OUTBOARD_")}
    subprocess.run([sys.executable, str(SCRIPT)], cwd=alone, env={**bare, **variables}, check=True)
    result, expected = ((one / "results" / "final.json").read_text() for one in (work, alone))
    assert json.loads(result) == json.loads(expected), "a sample was lost or repeated"
    for path in (work / "checkpoints").glob("step-*.pt"):
        assert zipfile.ZipFile(path).testzip() is None, path
    until = time.monotonic() + 10.0
    while Folder(folder).kept() and time.monotonic() < until:
        time.sleep(0.05)
    assert not processes.leftovers(folder), "something is left running"


def main() -> int:
    """Soak as often as is said."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with tempfile.TemporaryDirectory() as base:
        counted = soak(kills, seed, Path(base))
    print(f"{sum(counted.values())} kills survived: {counted}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
