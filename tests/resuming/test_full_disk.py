"""A disk that is full: said before anything is written, and what was committed stays."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")

from outboard.keeper import signs
from outboard.resuming import folders
from tests.resuming.conftest import Start

SIZE = 24  # [MB]; five checkpoints of 4 MB and no sixth


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("a file system of a fixed size can only be mounted by root")
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}m", "tmpfs", str(place)], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_no_room_is_said_before_anything_is_written(small: Path, start: Start, tmp_path: Path) -> None:
    process = start("fills", folder=small / "c", result=tmp_path / "told.json", count=7)
    assert process.wait() == 0, process.said()
    told = json.loads((tmp_path / "told.json").read_text())
    good = [step for step, text in enumerate(told, 1) if not text]
    assert good == [1, 2, 3, 4, 5]
    assert all(text.startswith("DiskFullError: ") and "is full: a checkpoint of 5." in text for text in told[5:])
    assert signs.failure(1, "outboard.errors." + told[-1]).kind == "disk full"
    assert [one.step for one in folders.committed(small / "c")] == [5, 4, 3, 2, 1]
    assert [folders.damage(one) for one in folders.committed(small / "c")] == [""] * 5


def test_a_disk_that_fills_up_meanwhile(small: Path, start: Start, tmp_path: Path) -> None:
    process = start("fills", folder=small / "c", result=tmp_path / "told.json", count=7, look=False)
    assert process.wait() == 0, process.said()
    told = json.loads((tmp_path / "told.json").read_text())
    good = [step for step, text in enumerate(told, 1) if not text]
    assert good == [1, 2, 3, 4, 5]
    assert all("is full: a checkpoint could not be written (No space left on device)" in text for text in told[5:])
    assert signs.failure(1, "outboard.errors." + told[-1]).kind == "disk full"
    assert [folders.damage(one) for one in folders.committed(small / "c")] == [""] * 5
    assert not list((small / "c").glob(".step-*"))
