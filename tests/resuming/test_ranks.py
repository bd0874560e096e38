"""Several processes: what FSDP2 spreads is written by all ranks and read by any number; stopping is agreed on."""

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
    pytest.skip("this torch has no gloo", allow_module_level=True)

import outboard as ob  # noqa: E402
from outboard.keeper import signs  # noqa: E402
from outboard.resuming import folders, found  # noqa: E402
from tests.resuming.conftest import Start  # noqa: E402


def together(start: Start, folder: Path, world: int, steps: int, name: str, **more: Any) -> list[Any]:
    """Run all ranks to their end; return their exit codes or what they told."""
    meet, result = folder.parent / f"meet-{name}", folder.parent / name
    variables = {"ASK": "1"} if more.pop("ask", False) else {}
    common = {"folder": folder, "world": world, "meet": meet, "result": result, "steps": steps, **more}
    ranks = [start("rank", variables, number=number, **common) for number in range(world)]
    codes = [each.wait() for each in ranks]
    if variables:
        return codes
    assert codes == [0] * world, "\n".join(each.said() for each in ranks)
    return [json.loads(Path(f"{result}.{number}").read_text()) for number in range(world)]


def test_what_is_spread_goes_on_with_another_number_of_ranks(start: Start, tmp_path: Path) -> None:
    whole = together(start, tmp_path / "whole", 2, 12, "whole")
    folder = tmp_path / "c"
    together(start, folder, 2, 6, "first")
    newest = folders.committed(folder)[0]
    assert (newest.step, newest.manifest["backend"], newest.manifest["world"]) == (6, "dcp", 2)
    assert folders.damage(newest) == ""
    assert {".metadata", "__0_0.distcp", "__1_0.distcp"} <= set(newest.manifest["files"])
    assert next(one for one in found.checkpoints(folder) if one.complete).path == str(newest.path)
    alone = together(start, folder, 1, 9, "alone")
    again = together(start, folder, 2, 12, "again")
    losses = together(start, tmp_path / "half", 2, 6, "half")[0]["losses"] + alone[0]["losses"] + again[0]["losses"]
    assert losses == pytest.approx(whole[0]["losses"], rel=1e-5)
    assert (again[0]["step"], again[0]["epoch"]) == (12, 2)


def test_rank_0_writes_and_every_rank_gets_its_own_random_numbers_back(start: Start, tmp_path: Path) -> None:
    whole = together(start, tmp_path / "whole", 2, 4, "whole", backend="torch")
    together(start, tmp_path / "c", 2, 3, "first", backend="torch")
    again = together(start, tmp_path / "c", 2, 4, "again", backend="torch")
    assert [each["draw"] for each in again] == [each["draw"] for each in whole]
    assert again[0]["draw"] != again[1]["draw"]
    assert [one.manifest["backend"] for one in folders.committed(tmp_path / "c")] == ["torch"] * 3


@pytest.mark.parametrize("backend", ["auto", "torch"])
def test_one_rank_is_asked_to_stop_and_all_of_them_do(backend: str, start: Start, tmp_path: Path) -> None:
    codes = together(start, tmp_path / "c", 2, 6, "stopped", backend=backend, ask=True)
    assert codes == [signs.AGAIN] * 2
    assert folders.committed(tmp_path / "c")[0].step == 5


def test_a_rank_that_is_not_the_first_writes_nothing(start: Start, tmp_path: Path) -> None:
    process = start("saves", {"RANK": "1"}, folder=tmp_path / "c", until=2)
    assert process.wait() == 0, process.said()
    assert not (tmp_path / "c").exists()


def test_ranks_that_cannot_talk_all_read_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with ob.Checkpoint(tmp_path) as checkpoint:
        checkpoint.save(3, 30, {"value": torch.ones(3)})
    monkeypatch.setenv("RANK", "1")
    state, before = {"value": torch.zeros(3)}, torch.get_rng_state()
    with ob.Checkpoint(tmp_path) as checkpoint:
        assert checkpoint.restore(state) == (3, 30)
    assert state["value"].sum() == 3
    assert torch.equal(before, torch.get_rng_state())
    assert "torch.distributed is not initialised" in caplog.text
