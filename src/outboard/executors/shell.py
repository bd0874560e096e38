"""Commands and files of a machine: this one, or one behind OpenSSH."""

import os
import shlex
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from outboard.errors import OutsideError, UsageError
from outboard.i18n import _

PATIENCE = 60.0  # for one command [s]
SENDING = 24 * 3600.0  # for files: large data takes long, and rsync itself notices a dead connection [s]
UNREACHABLE = 255  # what ssh returns for failures of its own
RSYNC = ("rsync", "--archive", "--partial", "--timeout=30", "--no-owner", "--no-group")
RSYNC_CONNECTION = (10, 12, 30, 35, 255)  # exit codes that blame the connection
TRIES = 3


class UnreachableError(OutsideError):
    """The machine does not answer. Says nothing about what runs there."""


class Shell(ABC):
    """A machine that takes commands. Arguments reach the program as they are, whatever characters they hold."""

    python = "python3"

    @abstractmethod
    def call(self, command: Sequence[str], data: bytes = b"", patience: float = PATIENCE) -> bytes:
        """Run a command with ``data`` on its standard input; return what it prints. Raises :class:`OutsideError`."""

    @abstractmethod
    def send(self, source: Path, names: Sequence[str], target: str, exclude: Sequence[str] = ()) -> None:
        """Copy ``names``, paths inside ``source``, to the same names inside ``target`` there. Only changes travel."""

    @abstractmethod
    def fetch(self, source: str, names: Sequence[str], target: Path) -> None:
        """Copy ``names``, paths inside ``source`` there, into ``target`` here; what is not there is left out."""

    def write(self, path: str, data: bytes) -> None:
        """Write a file that only its owner reads, whole or not at all."""
        script = 'umask 077 && cat > "$1.new" && mv -f "$1.new" "$1"'
        self.call(["/bin/sh", "-c", script, "sh", path], data)

    def read(self, path: str, offset: int = 0) -> bytes:
        """What a file holds from ``offset`` on; nothing where there is none."""
        script = '[ ! -e "$1" ] || tail -c "+$2" "$1"'
        return self.call(["/bin/sh", "-c", script, "sh", path, str(offset + 1)])

    def make(self, folder: str) -> None:
        """Make a folder that only its owner enters, and those above it."""
        self.call(["/bin/sh", "-c", 'umask 077 && mkdir -p "$1" && chmod 700 "$1"', "sh", folder])

    def has(self, program: str) -> bool:
        """Whether a program can be called."""
        try:
            self.call(["/bin/sh", "-c", 'command -v "$1" >/dev/null', "sh", program])
        except UnreachableError:
            raise
        except OutsideError:
            return False
        return True


class Here(Shell):
    """This machine."""

    def call(self, command: Sequence[str], data: bytes = b"", patience: float = PATIENCE) -> bytes:
        """Run it."""
        return _run(list(command), data, patience, shlex.join(command))

    def send(self, source: Path, names: Sequence[str], target: str, exclude: Sequence[str] = ()) -> None:
        """Copy on this disk."""
        _rsync(_sending(source, names, exclude), f"{target}/", source)

    def fetch(self, source: str, names: Sequence[str], target: Path) -> None:
        """Copy on this disk."""
        self.send(Path(source), [name for name in names if Path(source, name).exists()], str(target))


class Over(Shell):
    """A machine behind OpenSSH, with the person's configuration, agent, jump hosts and known keys.

    ``OUTBOARD_SSH`` replaces the command, as ``GIT_SSH_COMMAND`` does for git: ``ssh -F config``.
    """

    def __init__(self, host: str) -> None:
        if not host or host.startswith("-") or any(not each.isprintable() or each.isspace() for each in host):
            raise UsageError(
                _("'{host}' is no host for ssh; write it like '{example}'").format(host=host, example="me@box")
            )
        self.host = host

    @property
    def ssh(self) -> list[str]:
        """The command without the host. Never asks: there may be nobody to answer."""
        own = shlex.split(os.environ.get("OUTBOARD_SSH", "ssh"))
        quiet = ["BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5", "ServerAliveCountMax=3"]
        return [*own, *(part for option in quiet for part in ("-o", option))]

    def call(self, command: Sequence[str], data: bytes = b"", patience: float = PATIENCE) -> bytes:
        """Run it there; the far shell gets one quoted line."""
        full = [*self.ssh, "--", self.host, shlex.join(command)]
        return _run(full, data, patience, f"{self.host}: {shlex.join(command)}", self.host)

    def send(self, source: Path, names: Sequence[str], target: str, exclude: Sequence[str] = ()) -> None:
        """Copy by rsync; a broken connection is tried again, and what arrived is kept."""
        _rsync([*self._rsh(), *_sending(source, names, exclude)], f"{self._side()}{target}/", source, self.host)

    def fetch(self, source: str, names: Sequence[str], target: Path) -> None:
        """Copy by rsync."""
        target.mkdir(parents=True, exist_ok=True)
        there = [name for name in names if self._there(f"{source}/{name}")]
        if not there:
            return
        listed = [f"{self._side()}{source}/./{name}" for name in there]
        _rsync([*self._rsh(), "--relative", *listed], f"{target}/", target, self.host)

    def _there(self, path: str) -> bool:
        return self.call(["/bin/sh", "-c", '[ ! -e "$1" ] || echo yes', "sh", path]).strip() == b"yes"

    def _rsh(self) -> list[str]:
        return ["--secluded-args", f"--rsh={shlex.join(self.ssh)}"]

    def _side(self) -> str:
        return f"{self.host}:"


def _sending(source: Path, names: Sequence[str], exclude: Sequence[str]) -> list[str]:
    left_out = [f"--exclude={pattern}" for pattern in exclude]
    return ["--relative", *left_out, *(f"./{name}" for name in names)]


def _rsync(arguments: list[str], target: str, where: Path, host: str = "") -> None:
    done = _copied([*RSYNC, *arguments, target], where)
    for _again in range(TRIES - 1):
        if done.returncode not in RSYNC_CONNECTION:
            break
        done = _copied([*RSYNC, *arguments, target], where)
    if done.returncode == 0:
        return
    said = _last_line(done.stderr)
    message = _("files could not be copied: {reason}").format(reason=f"{host}: {said}" if host else said)
    raise (UnreachableError if done.returncode in RSYNC_CONNECTION else OutsideError)(message)


def _copied(command: list[str], where: Path) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(command, cwd=where, stdin=subprocess.DEVNULL, capture_output=True, timeout=SENDING)
    except FileNotFoundError:
        raise OutsideError(_("rsync is missing on this machine; install it")) from None


def _run(command: list[str], data: bytes, patience: float, shown: str, host: str = "") -> bytes:
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=patience)
    except FileNotFoundError:
        raise OutsideError(_("{program} is missing on this machine; install it").format(program=command[0])) from None
    except subprocess.TimeoutExpired:
        kind = UnreachableError if host else OutsideError
        raise kind(_("no answer within {seconds:.0f} s: {command}").format(seconds=patience, command=shown)) from None
    if done.returncode == 0:
        return done.stdout
    said = _last_line(done.stderr)
    if host and done.returncode == UNREACHABLE:
        hint = _("; connect once by hand to check and accept its key: ssh {host}").format(host=host)
        known = hint if "host key" in said.lower() else ""
        raise UnreachableError(_("{host} does not answer: {reason}").format(host=host, reason=said) + known)
    raise OutsideError(
        _("{command}: exit status {code}: {reason}").format(command=shown, code=done.returncode, reason=said)
    )


def _last_line(text: bytes) -> str:
    lines = [line for line in text.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else _("it said nothing")
