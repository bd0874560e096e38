"""The room touches no network, process, torch or terminal, and its functions stay small."""

import ast
from pathlib import Path

import pytest

import outboard.cost

ROOM = Path(outboard.cost.__file__).parent
FILES = sorted(ROOM.rglob("*.py"))
FORBIDDEN = {"torch", "subprocess", "socket", "urllib", "http", "rich", "typer", "scipy", "pandas", "requests"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOM).as_posix())
def test_imports(path: Path) -> None:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    assert not found & FORBIDDEN
