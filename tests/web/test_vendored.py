"""Libraries of others are what their table says, unchanged, and nothing else is there."""

import hashlib
import re
from pathlib import Path

import pytest

from outboard import web

FOLDERS = (Path(web.__file__).parent / "static" / "vendor", Path(__file__).parent / "vendor")
ROW = re.compile(r"^\| `(?P<file>[^`]+)` \| .*\(`(?P<licence>[^`]+)`\) \| `(?P<digest>[0-9a-f]{64})` \|$", re.MULTILINE)


@pytest.mark.parametrize("folder", FOLDERS, ids=["page", "tests"])
def test_files_are_those_of_the_table(folder: Path) -> None:
    rows = list(ROW.finditer((folder / "VENDORED.md").read_text(encoding="utf-8")))
    assert {row["file"] for row in rows} == {path.name for path in folder.glob("*.js")}
    for row in rows:
        assert hashlib.sha256((folder / row["file"]).read_bytes()).hexdigest() == row["digest"], row["file"]
        assert (folder / row["licence"]).is_file()
