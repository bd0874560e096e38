"""The documents that programs read: one JSON Schema per kind, and the functions that write them.

Keys are stable and never translated, quantities are in SI units. :mod:`outboard.schema.documents` turns results into
plain dictionaries; a test validates what they write against the schemas here.
"""

import json
from pathlib import Path
from typing import Any

from outboard.errors import UnknownNameError

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """The kinds of document that have a schema."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def load(name: str) -> dict[str, Any]:
    """The JSON Schema called ``name``."""
    if name not in names():
        raise UnknownNameError("schema", name, names())
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
