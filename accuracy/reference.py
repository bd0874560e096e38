"""Where the published measurements lie. They are used in place and never copied into the project."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEFAULT = ROOT.parent / "shared" / "reference"
TRACES = ROOT / "accuracy" / "cache"  # traces of the models that the tables name; made again when missing


def folder() -> Path:
    """The folder of tables: ``OUTBOARD_REFERENCE``, else ``../shared/reference`` beside the checkout."""
    return Path(os.environ.get("OUTBOARD_REFERENCE", DEFAULT))


def require() -> Path:
    """The folder, or a message that says how to get one."""
    found = folder()
    if not (found / "vision_throughput.csv").exists():
        raise SystemExit(
            f"no tables of measurements in {found}; set OUTBOARD_REFERENCE to a folder that holds them "
            "(docs/methodology/time.md names their public sources)"
        )
    return found
