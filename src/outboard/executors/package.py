"""The keeper as one file that any ``python3`` executes."""

import io
import zipfile
from functools import cache
from importlib.resources import files

PARTS = {"keeper": None, "resuming": ("found.py", "patterns.py")}  # None: all of it
START = "import sys\nfrom outboard.keeper.__main__ import main\nsys.exit(main(sys.argv[1:]))\n"
FIXED = (1980, 1, 1, 0, 0, 0)  # the same file for the same code


@cache
def keeper() -> bytes:
    """The archive; the same bytes for the same code."""
    content = {"__main__.py": START, "outboard/__init__.py": ""}
    for room, wanted in PARTS.items():
        folder = files("outboard") / room
        content[f"outboard/{room}/__init__.py"] = ""
        for entry in folder.iterdir():
            if entry.name.endswith(".py") and (wanted is None or entry.name in wanted) and entry.name != "__init__.py":
                content[f"outboard/{room}/{entry.name}"] = entry.read_text(encoding="utf-8")
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(content):
            archive.writestr(zipfile.ZipInfo(name, FIXED), content[name], zipfile.ZIP_DEFLATED)
    return made.getvalue()
