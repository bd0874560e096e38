"""Where the probes read: the running system, a folder in which one was recorded, or the first while making the second.

A recording holds each file at its own path, each command's output in ``commands/NAME.txt``, and the targets of links in
``links.json``. It needs no links of its own, so that it survives any archive.
"""

import json
import subprocess
from pathlib import Path
from typing import Protocol

from outboard.errors import FileError
from outboard.i18n import _
from outboard.probe import nvml, python
from outboard.probe.scrub import scrubbed

COMMANDS = {
    "lspci": ["lspci", "-Dnn"],
    "nvidia-smi": [
        "nvidia-smi",
        "--query-gpu=pci.bus_id,name,driver_version,persistence_mode",
        "--format=csv,noheader",
    ],
    "journal": ["journalctl", "--quiet", "-k", "-b", "-o", "short-monotonic"],
    "dmesg": ["dmesg"],
}
IN_PYTHON = {"nvml": nvml.text, "torch": python.torch, "platform": python.platform}
PATIENCE = 10.0  # for one command [s]
LINKS = "links.json"


class Source(Protocol):
    """What a probe may ask."""

    def text(self, path: str) -> str:
        """Content of a file, without the space around it; empty where there is none."""
        ...

    def names(self, path: str) -> list[str]:
        """Names in a folder, in order; none where there is no folder."""
        ...

    def target(self, path: str) -> str:
        """Where a path leads once all links are followed; empty where it leads nowhere."""
        ...

    def output(self, command: str) -> str:
        """What a command of :data:`COMMANDS` or :data:`IN_PYTHON` prints; empty where it is missing or fails."""
        ...


class Live:
    """The running system."""

    def text(self, path: str) -> str:
        """Content of a file."""
        try:
            return Path(path).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""

    def names(self, path: str) -> list[str]:
        """Names in a folder."""
        try:
            return sorted(entry.name for entry in Path(path).iterdir())
        except OSError:
            return []

    def target(self, path: str) -> str:
        """Where a path leads."""
        try:
            return str(Path(path).resolve(strict=True))
        except OSError:
            return ""

    def output(self, command: str) -> str:
        """What a command prints. A failed one counts for nothing: its output may be half."""
        if command in IN_PYTHON:
            return IN_PYTHON[command]()
        try:
            done = subprocess.run(
                COMMANDS[command], capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return done.stdout if done.returncode == 0 else ""


class Recorded:
    """A system that was recorded in ``folder``. Raises :class:`FileError` for links that cannot be read."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        path = self.folder / LINKS
        try:
            self._links: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        except (OSError, ValueError) as problem:
            raise FileError(path, _("is not JSON: {problem}").format(problem=problem)) from problem

    def text(self, path: str) -> str:
        """Content of a file."""
        return Live().text(str(self._at(path)))

    def names(self, path: str) -> list[str]:
        """Names in a folder, of files and of links."""
        inside = {link[len(path) + 1 :].partition("/")[0] for link in self._links if link.startswith(f"{path}/")}
        return sorted(inside | set(Live().names(str(self._at(path)))))

    def target(self, path: str) -> str:
        """Where a path leads."""
        return self._links.get(path, "") or (path if self._at(path).exists() else "")

    def output(self, command: str) -> str:
        """What a command printed."""
        return Live().text(str(self._at(f"/commands/{command}.txt")))

    def _at(self, path: str) -> Path:
        return self.folder / path.lstrip("/")


class Recording:
    """The running system, everything that is read written into ``folder`` with nothing personal in it."""

    def __init__(self, folder: str | Path, source: Source | None = None) -> None:
        self.folder = Path(folder)
        self.source: Source = source or Live()
        self._links: dict[str, str] = {}
        self.folder.mkdir(parents=True, exist_ok=True)

    def text(self, path: str) -> str:
        """Content of a file, also written down."""
        return self._keep(path, self.source.text(path))

    def names(self, path: str) -> list[str]:
        """Names in a folder; what matters of them is written when it is read."""
        return self.source.names(path)

    def target(self, path: str) -> str:
        """Where a path leads, also written down."""
        found = self.source.target(path)
        if found:
            self._links[path] = found
            (self.folder / LINKS).write_text(json.dumps(self._links, indent=1, sort_keys=True), encoding="utf-8")
        return found

    def output(self, command: str) -> str:
        """What a command prints, also written down."""
        return self._keep(f"/commands/{command}.txt", self.source.output(command))

    def _keep(self, path: str, text: str) -> str:
        clean = scrubbed(path, text)
        if clean:
            kept = self.folder / path.lstrip("/")
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(clean + "\n", encoding="utf-8")
        return clean
