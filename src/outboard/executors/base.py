"""What an executor must give. ``tests/executors/contract.py`` checks any of them by inheritance."""

from abc import ABC, abstractmethod
from pathlib import Path

from outboard.types.run import Launch, Seen


class Executor(ABC):
    """One way of running things at a place. Starting is in three steps, so that each can be shown before it is done.

    Every method may raise :class:`~outboard.errors.OutsideError` where a command fails, and
    :class:`UnreachableError`, which says nothing about the run, where the place does not answer.
    """

    @abstractmethod
    def check(self) -> None:
        """Raise what would keep anything from running here: a missing tool, a host that refuses."""

    @abstractmethod
    def script(self, launch: Launch) -> str:
        """Return exactly what is going to be executed, for people to read. Starts and sends nothing."""

    @abstractmethod
    def prepare(self, launch: Launch) -> str:
        """Bring what the job names to the place; return the folder of the run there."""

    @abstractmethod
    def start(self, launch: Launch, folder: str) -> str:
        """Start a prepared run; return what the place calls it, empty where the folder says enough."""

    @abstractmethod
    def see(self, folder: str, reference: str) -> Seen:
        """How it is now."""

    @abstractmethod
    def stop(self, folder: str, reference: str, now: bool = False) -> None:
        """Ask it to save and end; with ``now`` to end at once. Returns before it has."""

    @abstractmethod
    def log(self, folder: str, offset: int = 0) -> bytes:
        """What it printed from ``offset`` on."""

    @abstractmethod
    def write_log(self, folder: str, text: bytes) -> None:
        """Replace what it printed by ``text``, which an earlier place of the run had."""

    @abstractmethod
    def fetch(self, folder: str, names: tuple[str, ...], target: Path) -> None:
        """Bring these parts of the working folder into ``target`` on this machine; missing ones are no error."""

    @abstractmethod
    def carry(self, launch: Launch, folder: str, source: Path, names: tuple[str, ...]) -> None:
        """Bring these parts of a working folder that lies in ``source`` here into the one there; only changes travel.

        The other way of :meth:`fetch`, for a run that comes from another place.
        """

    @abstractmethod
    def workdir(self, launch: Launch, folder: str) -> str:
        """The working folder at the place."""

    @abstractmethod
    def forget(self, folder: str) -> None:
        """Remove the run's folder at the place."""
