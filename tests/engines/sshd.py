"""An OpenSSH server of our own on a free port, with its own keys and its own client configuration."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

SERVER = shutil.which("sshd") or "/usr/sbin/sshd"


def missing() -> str | None:
    """What keeps it from starting here."""
    for program in (SERVER, "ssh", "ssh-keygen", "rsync"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    return None


class Sshd:
    """``host`` is the name under which clients that use ``command`` reach it."""

    host = "box"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        for name in ("host_key", "user_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
        (folder / "authorized").write_bytes((folder / "user_key.pub").read_bytes())
        self.know((folder / "host_key.pub").read_text())
        me = pwd.getpwuid(os.getuid()).pw_name
        (folder / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {folder}/host_key\nPidFile {folder}/pid\n"
            f"AuthorizedKeysFile {folder}/authorized\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
            "PermitRootLogin yes\nAcceptEnv LANG\nMaxStartups 200:30:400\nMaxSessions 200\n"
        )
        (folder / "ssh_config").write_text(
            f"Host {self.host} other\n  HostName 127.0.0.1\n  Port {self.port}\n  User {me}\n"
            f"  IdentityFile {folder}/user_key\n  IdentitiesOnly yes\n  UserKnownHostsFile {folder}/known\n"
            "  StrictHostKeyChecking yes\n  GlobalKnownHostsFile /dev/null\n"
        )

    def know(self, key: str) -> None:
        """Have clients take ``key`` for this server's."""
        kind, text = key.split()[:2]
        (self.folder / "known").write_text(f"[127.0.0.1]:{self.port} {kind} {text}\n")

    @property
    def command(self) -> str:
        """For ``OUTBOARD_SSH``."""
        return f"ssh -F {self.folder}/ssh_config"

    def start(self) -> None:
        """Listen."""
        if os.getuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        command = [SERVER, "-D", "-e", "-f", str(self.folder / "sshd_config")]
        with (self.folder / "sshd.txt").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        until = time.monotonic() + 10.0
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise RuntimeError((self.folder / "sshd.txt").read_text())

    def stop(self) -> None:
        """End it with every connection it has: the cable is cut. What was started there goes on."""
        if self.process is None:
            return
        for pid in _below(self.process.pid):
            if "sshd" in _name(pid):
                _kill(pid)
        _kill(self.process.pid)
        self.process.wait()
        self.process = None


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _below(pid: int) -> list[int]:
    from outboard.keeper.processes import descendants

    return descendants(pid)


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
