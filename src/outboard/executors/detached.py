"""What is started in the background of a machine and kept by its keeper there: the ground of local and ssh."""

import json
import posixpath
import shlex
from pathlib import Path
from typing import Any

from outboard.errors import OutsideError
from outboard.executors.asked import ASKED, KEEPER, asked
from outboard.executors.base import Executor
from outboard.executors.package import keeper
from outboard.executors.shell import Here, Shell, UnreachableError
from outboard.i18n import _
from outboard.types.run import GOING, Launch, RunState, Seen

STARTING = 30.0  # that long a keeper may take until it holds its folder [s]
SPARE = 64 << 20  # what a place must have free beside the files [B]


class Detached(Executor):
    """Runs below ``base`` on the machine of ``shell``."""

    requeue = False

    def __init__(self, shell: Shell, base: str) -> None:
        self.shell = shell
        self.base = base

    def check(self) -> None:
        """A machine that answers and has what the keeper needs."""
        for program in (self.shell.python, "bash"):
            if not self.shell.has(program):
                raise OutsideError(_("{place}: {program} is missing there").format(place=self.name(), program=program))

    def name(self) -> str:
        """How errors call the machine."""
        return getattr(self.shell, "host", _("this machine"))

    def home(self) -> str:
        """The folder of all runs there, absolute."""
        if self.base.startswith("/"):
            return self.base
        return posixpath.join(self.shell.call(["/bin/sh", "-c", "cd && pwd"]).decode().rstrip("\n"), self.base)

    def script(self, launch: Launch) -> str:
        """The command as the keeper executes it."""
        folder = posixpath.join(self.base, launch.id)
        workdir = self.workdir(launch, folder)
        told = asked(launch, folder, workdir, requeue=self.requeue)
        lines = [f"# {self.name()}: {workdir}", "#!/bin/bash"]
        lines += [f"export {name}={shlex.quote(value)}" for name, value in sorted(told["variables"].items())]
        lines += [f"# {name}: {_('from your environment')}" for name in launch.section.secrets]
        return "\n".join([*lines, *filter(None, [told["setup"], told["command"]])]) + "\n"

    def prepare(self, launch: Launch) -> str:
        """Make the run's folder, send what is named."""
        folder = posixpath.join(self.home(), launch.id)
        self.shell.make(folder)
        self.bring(launch, folder)
        self.shell.write(f"{folder}/{KEEPER}", keeper())
        if launch.seen:
            self.shell.write(f"{folder}/state.json", json.dumps(launch.seen).encode())
        return folder

    def bring(self, launch: Launch, folder: str) -> None:
        """Bring the working folder; where it is at hand already there is nothing to do."""

    def start(self, launch: Launch, folder: str) -> str:
        """Start the keeper; secrets go through its standard input into its environment and nowhere else."""
        told = asked(launch, folder, self.workdir(launch, folder), requeue=self.requeue)
        self.shell.write(f"{folder}/{ASKED}", json.dumps(told, sort_keys=True).encode())
        self.shell.call(["rm", "-f", f"{folder}/stop"])
        self.shell.call(self._keeper("detach", folder), json.dumps(launch.secrets).encode())
        return ""

    def see(self, folder: str, reference: str) -> Seen:
        """Ask the keeper's own eyes at the place, so that no two clocks are compared."""
        try:
            told = json.loads(self.shell.call(self._keeper("status", folder)))
        except UnreachableError as error:
            return Seen("unreachable", str(error))
        found = seen(told)
        # Nobody here gives it another share of time, as a scheduler would.
        return Seen("stopped", found.why, found.told) if found.state == "requeue" else found

    def stop(self, folder: str, reference: str, now: bool = False) -> None:
        """Leave the wish in the folder."""
        self.shell.call([*self._keeper("stop", folder), "now" if now else "save"])

    def log(self, folder: str, offset: int = 0) -> bytes:
        """Read the log."""
        return self.shell.read(f"{folder}/log.txt", offset)

    def write_log(self, folder: str, text: bytes) -> None:
        """Write the log of an earlier place."""
        self.shell.write(f"{folder}/log.txt", text)

    def fetch(self, folder: str, names: tuple[str, ...], target: Path) -> None:
        """Copy back out of the working folder."""
        told = json.loads(self.shell.read(f"{folder}/{ASKED}"))
        if not isinstance(self.shell, Here) or Path(told["workdir"]) != target:
            self.shell.fetch(told["workdir"], names, target)

    def carry(self, launch: Launch, folder: str, source: Path, names: tuple[str, ...]) -> None:
        """Copy into the working folder, unless it is that one."""
        target = self.workdir(launch, folder)
        there = [name for name in names if (source / name).exists()]
        if there and not (isinstance(self.shell, Here) and Path(target) == source):
            self.shell.send(source, there, target)

    def forget(self, folder: str) -> None:
        """Remove the folder."""
        self.shell.call(["rm", "-rf", "--", folder])

    def _keeper(self, what: str, folder: str) -> list[str]:
        return [self.shell.python, f"{folder}/{KEEPER}", what, folder]


def seen(told: dict[str, Any]) -> Seen:
    """Judge what a keeper told: one that should be going and is not there is dead."""
    state = told.get("state") or {}
    name: RunState = state.get("state", "prepared")
    patience = STARTING if name == "starting" else 0.0
    if name in GOING and name != "requeue" and not told["alive"] and (told["age"] or 0.0) >= patience:
        return Seen("dead", _("its keeper is gone; outboard resume carries it on"), state)
    return Seen(name, state.get("why", ""), state)
