"""Keeps the examples in the documents true: ``make docs`` runs them and writes what they print.

An example is a fenced block called ``console``; lines that begin with ``$ `` are commands, the rest is their output.
A block called ``console torch`` needs the models extra and is left alone where that is not installed.
"""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCUMENTS = ("README.md", "docs/index.md", "docs/validate.md", "docs/faster.md")
BLOCK = re.compile(r"^```console( torch)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DAY = "2026-12-01"  # as of which the prices in the examples are aged
STATUSES = {0, 1}  # a clear no is an answer


@dataclass(frozen=True)
class Example:
    """One block of a document."""

    text: str
    needs_torch: bool

    @property
    def commands(self) -> list[str]:
        """What the reader is told to type."""
        return [line[2:] for line in self.text.splitlines() if line.startswith("$ ")]


def examples(document: str) -> list[Example]:
    """The examples of a document, in order."""
    return [Example(match[2], bool(match[1])) for match in BLOCK.finditer(document)]


def can_run(example: Example) -> bool:
    """Whether this machine has what the example needs."""
    return not example.needs_torch or find_spec("torch") is not None


def run(example: Example) -> str:
    """The block as it should read: each command with what it prints, in the root of the project."""
    with tempfile.TemporaryDirectory() as folder:
        return "".join(f"$ {command}\n{_output(command, folder)}" for command in example.commands)


def _output(command: str, folder: str) -> str:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    plain = {
        "PATH": programs,
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "LANGUAGE": "en",
        "TERM": "dumb",
        "TMPDIR": folder,
        "OUTBOARD_TODAY": DAY,
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env={**os.environ, **plain},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode not in STATUSES:
        raise RuntimeError(f"{command}: exit status {done.returncode}: {done.stdout}")
    return done.stdout


def rewritten(document: str) -> str:
    """The document with every example that can be run here run again."""

    def again(match: re.Match[str]) -> str:
        example = Example(match[2], bool(match[1]))
        return f"```console{match[1] or ''}\n{run(example) if can_run(example) else example.text}```"

    return BLOCK.sub(again, document)


def main() -> int:
    """Rewrite the documents."""
    for name in DOCUMENTS:
        path = ROOT / name
        path.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
