"""On a machine behind OpenSSH. The keeper there outlives the connection."""

import os

from outboard.errors import FileError, OutsideError
from outboard.executors.detached import Detached
from outboard.executors.shell import Over, Shell
from outboard.i18n import _
from outboard.types.run import Launch

BASE = ".outboard/runs"  # in the home there
VARIABLE = "OUTBOARD_REMOTE_DIR"  # another folder there, where homes are small: /scratch/me/runs


def base() -> str:
    """The folder of runs at machines behind SSH and on clusters."""
    return os.environ.get(VARIABLE) or BASE


class Ssh(Detached):
    """Sends the files that the job names, and nothing else."""

    def __init__(self, host: str, folder: str | None = None) -> None:
        super().__init__(Over(host), folder or base())

    def check(self) -> None:
        """Also rsync, at both ends."""
        super().check()
        if not self.shell.has("rsync"):
            raise OutsideError(_("{place}: {program} is missing there").format(place=self.name(), program="rsync"))

    def workdir(self, launch: Launch, folder: str) -> str:
        """A copy in the run's own folder."""
        return f"{folder}/work"

    def bring(self, launch: Launch, folder: str) -> None:
        """Send; an absent file is an error before anything starts."""
        send(self.shell, launch, self.workdir(launch, folder))


def send(shell: Shell, launch: Launch, target: str) -> None:
    """Copy what the job names into its working folder there."""
    for name in launch.section.files:
        if not (launch.workdir / name).exists():
            raise FileError(launch.workdir / name, _("no such file or folder"), "run.files")
    shell.make(target)
    shell.send(launch.workdir, launch.section.files, target, [*launch.section.exclude, *_its_own(launch)])


def _its_own(launch: Launch) -> list[str]:
    """What a run that was started before has written there itself: older files of that name here stay here."""
    if launch.generation == 1:
        return []
    said = launch.section
    return [f"/{name}" for name in (*said.outputs, *filter(None, [said.checkpoints]))]
