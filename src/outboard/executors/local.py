"""On this machine, in the working folder itself, detached from the terminal."""

import shutil
import sys
from pathlib import Path

from outboard.errors import FileError
from outboard.executors.detached import SPARE, Detached
from outboard.executors.shell import Here
from outboard.i18n import _
from outboard.types.run import Launch


class Local(Detached):
    """Runs of this machine lie beside its store."""

    def __init__(self, base: str | None = None) -> None:
        if base is None:
            from outboard.store import path

            base = str(path().parent / "runs")
        shell = Here()
        shell.python = sys.executable
        super().__init__(shell, str(Path(base).absolute()))

    def workdir(self, launch: Launch, folder: str) -> str:
        """The person's own folder."""
        return str(launch.workdir)

    def bring(self, launch: Launch, folder: str) -> None:
        """Nothing travels; the folder must be there, and its disk must have room."""
        if not launch.workdir.is_dir():
            raise FileError(launch.workdir, _("no such folder"), "run.workdir")
        if shutil.disk_usage(launch.workdir).free < SPARE:
            raise FileError(launch.workdir, _("its disk is full"), "run.workdir", _("free some space"))
