"""kill -9 in the middle of saves: the newest checkpoint is never torn, and what goes on is the same training."""

import json
import random
import time
from pathlib import Path

import pytest

from outboard.resuming import folders, found
from tests.resuming.conftest import Start

STEPS = 60
KILLS = 12


def newest_step(folder: Path) -> int:
    return next((one.step for one in folders.committed(folder)), 0)


def torn(folder: Path) -> list[Path]:
    """What a save left that was under way."""
    return [path for path in folder.iterdir() if path.name.startswith((".step-", folders.GONE))] + [
        path for path in folder.glob("step-*") if not (path / found.COMMITTED).exists()
    ]


@pytest.mark.parametrize(("kind", "asynchronous"), [("feed", True), ("stateful", False)])
def test_no_kill_costs_more_than_what_came_after_the_last_save(
    kind: str, asynchronous: bool, start: Start, tmp_path: Path
) -> None:
    if kind == "stateful":
        pytest.importorskip("torchdata")
    folder, whole = tmp_path / "killed", tmp_path / "whole"
    options = {"steps": STEPS, "kind": kind, "width": 3000, "asynchronous": asynchronous}
    assert start("train", folder=whole, result=tmp_path / "whole.json", **options).wait() == 0
    newest, _middle, oldest = folders.committed(whole)
    each = (newest.manifest["time"] - oldest.manifest["time"]) / 2  # one step and its save [s]
    chance = random.Random(f"{kind} {asynchronous}")
    under_way = 0
    for _kill in range(KILLS):
        before = newest_step(folder) if folder.exists() else 0
        process = start("train", folder=folder, result=tmp_path / "killed.json", **options)
        until = time.monotonic() + 20
        while newest_step(folder) <= before and time.monotonic() < until:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 2 * each))
        process.kill()
        assert process.wait() == -9, process.said()
        good = folders.committed(folder)
        assert [folders.damage(one) for one in good] == [""] * len(good)
        assert good[0].step > before
        seen = next(one for one in found.checkpoints(folder) if one.complete)  # by the keeper
        assert (seen.path, seen.step) == (str(good[0].path), good[0].step)
        under_way += bool(torn(folder))
    assert under_way >= KILLS / 4  # else this test would not test what it says
    assert good[0].step < STEPS
    process = start("train", folder=folder, result=tmp_path / "killed.json", **options)
    assert process.wait() == 0, process.said()
    one, other = (json.loads((tmp_path / name).read_text()) for name in ("whole.json", "killed.json"))
    assert one == other  # samples in their order, every loss, every weight
    assert torn(folder) == []
    assert len(folders.committed(folder)) == 3
