"""What goes into a checkpoint comes out of it; what is torn is passed over; what goes wrong is said."""

import enum
import json
import random
import warnings
from collections import Counter, OrderedDict, deque
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import numpy as np  # noqa: E402
from torch import nn  # noqa: E402

import outboard as ob  # noqa: E402
from outboard.errors import CheckpointError, DiskFullError, UsageError  # noqa: E402
from outboard.resuming import archive, copies, folders, found  # noqa: E402
from tests.resuming.conftest import Start  # noqa: E402


def made(seed: int = 0) -> dict[str, Any]:
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(144, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return {
        "model": model.to(memory_format=torch.channels_last),
        "optimizer": optimizer,
        "schedule": torch.optim.lr_scheduler.MultiStepLR(optimizer, [2, 4]),
        "scaler": torch.amp.GradScaler("cpu"),
    }


def trained(state: dict[str, Any], steps: int = 1) -> Any:
    for _step in range(steps):
        state["optimizer"].zero_grad()
        loss = state["model"](torch.randn(2, 3, 8, 8)).square().mean()
        loss.backward()
        state["optimizer"].step()
        state["schedule"].step()
    return loss.item()


def simple(folder: Path, *steps: int, **options: Any) -> Any:
    checkpoint = ob.Checkpoint(folder, **options)
    for step in steps:
        checkpoint.save(step, step * 10, {"value": torch.full((1000,), float(step))})
    checkpoint.close()
    return folder


def steps(folder: Path) -> list[int]:
    return [one.step for one in folders.committed(folder)]


@pytest.mark.parametrize("backend", ["torch", "dcp"])
@pytest.mark.parametrize("asynchronous", [True, False])
def test_a_training_goes_on_as_if_nothing_had_been(backend: str, asynchronous: bool, tmp_path: Path) -> None:
    one = {**made(), "epoch": 3}
    with ob.Checkpoint(tmp_path, backend=backend, asynchronous=asynchronous) as checkpoint:
        trained(one, 3)
        checkpoint.save(3, 6, one)
        wanted = trained(one, 3), random.random(), np.random.rand(), torch.rand(1)
    other: dict[str, Any] = {**made(1), "epoch": 0}
    with ob.Checkpoint(tmp_path) as checkpoint:
        assert checkpoint.restore(other) == (3, 6)
    assert (trained(other, 3), random.random(), np.random.rand(), torch.rand(1)) == wanted
    assert other["epoch"] == 3
    assert other["schedule"].state_dict() == one["schedule"].state_dict()
    assert all(torch.equal(*pair) for pair in zip(one["model"].parameters(), other["model"].parameters(), strict=True))


def test_random_numbers_stay_alone_where_asked(tmp_path: Path) -> None:
    with ob.Checkpoint(tmp_path, rng=False) as checkpoint:
        checkpoint.save(1, 1, {"epoch": 1})
        before = torch.get_rng_state()
        checkpoint.restore({"epoch": 0})
        assert torch.equal(before, torch.get_rng_state())


class Color(enum.IntEnum):
    RED = 3


PLAIN = {
    "numbers": [1, 2.5, True, None, 1 + 2j, float("inf")],
    "text": "ñ",
    "bytes": b"\x00\xff",
    "pair": (1, ("a", [2])),
    "keys": {1: "one", (1, 2): "pair", None: "none"},
    "ordered": OrderedDict(b=1, a=2),
    "counter": Counter({2: 1, 5: 3}),
    "queue": deque([1, 2, 3], maxlen=5),
    "set": {1, 2},
    "array": np.arange(6, dtype=np.float32).reshape(2, 3),
    "odd array": np.array(["a", "bc"]),
    "scalar": np.float64(0.25),
    "date": np.datetime64("2026-01-02"),
    "tensor": torch.arange(6).reshape(2, 3).t(),
    "half": torch.ones(3, dtype=torch.bfloat16),
    "conjugate": torch.tensor([1 + 2j]).conj(),
    "negative": torch.tensor([1 + 2j]).conj().imag,
    "empty": torch.empty(0, 3),
    "sparse": torch.eye(3).to_sparse(),
    "dtype": torch.float16,
    "size": torch.Size([2, 3]),
}


@pytest.mark.filterwarnings("ignore:Validating sparse tensor invariants")
@pytest.mark.parametrize("name", list(PLAIN))
def test_values_come_back_as_they_were(name: str, tmp_path: Path) -> None:
    with ob.Checkpoint(tmp_path) as checkpoint:
        checkpoint.save(1, 1, {"value": PLAIN[name]})
        checkpoint.wait()
        saved = checkpoint.load()
    assert saved is not None
    value, wanted = saved.state["value"], PLAIN[name]
    assert type(value) is type(wanted)
    if isinstance(wanted, torch.Tensor):
        assert value.dtype == wanted.dtype
        assert torch.equal(value.to_dense(), wanted.to_dense())
    elif isinstance(wanted, np.ndarray):
        assert value.dtype == wanted.dtype
        assert (value == wanted).all()
    else:
        assert value == wanted
        assert not isinstance(wanted, deque) or value.maxlen == wanted.maxlen


def test_an_enumeration_becomes_its_number(tmp_path: Path) -> None:
    with ob.Checkpoint(tmp_path) as checkpoint:
        checkpoint.save(1, 1, {"value": Color.RED})
        checkpoint.wait()
        saved = checkpoint.load()
    assert saved is not None
    assert saved.state["value"] == 3


def test_the_files_are_torchs_own_and_run_nothing(tmp_path: Path) -> None:
    folder = simple(tmp_path, 7) / "step-00000007"
    assert torch.load(folder / "state.pt", weights_only=True)["value"][0] == 7
    assert {path.name for path in folder.iterdir()} == {"state.pt", "ranks.pt", "manifest.json", "committed"}
    assert folder.stat().st_mode & 0o777 == 0o755 & folder.stat().st_mode
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())


def test_what_is_shared_is_written_once_and_what_is_not_is_kept_apart(tmp_path: Path) -> None:
    shared = torch.arange(250_000.0)
    state = {"one": shared, "same": shared, "view": shared[:3], "part": torch.zeros(1_000_000)[:5]}
    _tree, size, _ready = copies.Copier().copy(state)
    assert size < 1_200_000
    with ob.Checkpoint(tmp_path) as checkpoint:
        checkpoint.save(1, 1, state)
    written = tmp_path / "step-00000001" / "state.pt"
    assert written.stat().st_size < 1_100_000
    found_ = archive.read(written)
    assert all(torch.equal(found_[name], state[name]) for name in state)


def test_tensors_made_for_the_occasion_are_not_taken_for_each_other(tmp_path: Path) -> None:
    class Made:
        def __init__(self, value: float) -> None:
            self.value = value

        def state_dict(self) -> dict[str, Any]:
            return {"made": torch.full((1000,), self.value)}  # may lie where the last one lay

    with ob.Checkpoint(tmp_path) as checkpoint:
        checkpoint.save(1, 1, {str(number): Made(number) for number in range(20)})
        checkpoint.wait()
        saved = checkpoint.load()
    assert saved is not None
    assert [saved.state[str(number)]["made"][5].item() for number in range(20)] == list(range(20))


def test_what_changes_after_a_save_is_not_in_it(tmp_path: Path) -> None:
    value, nested = torch.zeros(500_000), {"list": [1]}
    with ob.Checkpoint(tmp_path, keep=5) as checkpoint:
        for step in range(1, 5):
            value.fill_(step)
            checkpoint.save(step, step, {"value": value, "nested": nested})
            value.fill_(-1)
            nested["list"].append(step)
    for step in range(1, 5):
        state = archive.read(tmp_path / f"step-{step:08d}" / "state.pt")
        assert (state["value"] == step).all()
        assert len(state["nested"]["list"]) == step


def test_the_newest_stay(tmp_path: Path) -> None:
    simple(tmp_path, *range(1, 8), keep=2)
    assert steps(tmp_path) == [7, 6]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".lease.lock",
        "lease.json",
        "step-00000006",
        "step-00000007",
    ]


def test_other_files_of_the_folder_stay(tmp_path: Path) -> None:
    (tmp_path / "step-000001").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    simple(tmp_path, *range(1, 6), keep=1)
    assert (tmp_path / "step-000001").is_dir()
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_saving_a_step_again_replaces_nothing(tmp_path: Path) -> None:
    simple(tmp_path, 4)
    with ob.Checkpoint(tmp_path) as checkpoint:
        checkpoint.save(4, 40, {"value": torch.full((3,), 44.0)})
        checkpoint.wait()
        saved = checkpoint.load()
    assert saved is not None
    assert saved.state["value"][0] == 44
    assert [one.path.name for one in folders.committed(tmp_path)] == ["step-00000004-2", "step-00000004"]
    assert found.checkpoints(tmp_path)[0].path == str(saved.path)


def test_a_training_that_begins_anew_does_not_mix_with_one_that_is_ahead(tmp_path: Path) -> None:
    simple(tmp_path, 100)
    with ob.Checkpoint(tmp_path) as checkpoint:
        with pytest.raises(CheckpointError, match=r"step-00000100 is ahead of step 5: call restore\(\)"):
            checkpoint.save(5, 50, {"value": 1})
        state = {"value": torch.zeros(1000)}
        assert checkpoint.restore(state) == (100, 1000)
        checkpoint.save(101, 1010, state)
    assert steps(tmp_path) == [101, 100]


def cut(path: Path) -> None:
    with (path / "state.pt").open("r+b") as file:
        file.truncate(path.joinpath("state.pt").stat().st_size - 1)


def flip(name: str, where: float) -> Any:
    def change(path: Path) -> None:
        data = bytearray((path / name).read_bytes())
        data[int(len(data) * where)] ^= 1
        (path / name).write_bytes(data)

    return change


TORN = {
    "cut": cut,
    "flipped": flip("state.pt", 0.5),
    "flipped elsewhere": flip("ranks.pt", 0.9),
    "no marker": lambda path: (path / "committed").unlink(),
    "marker of another": lambda path: (path / "committed").write_text("0" * 64),
    "manifest flipped": flip("manifest.json", 0.4),
    "no manifest": lambda path: (path / "manifest.json").unlink(),
    "no file": lambda path: (path / "state.pt").unlink(),
    "empty": lambda path: (path / "state.pt").write_bytes(b""),
}


@pytest.mark.parametrize("how", list(TORN))
def test_a_torn_one_is_passed_over(how: str, tmp_path: Path) -> None:
    simple(tmp_path, 1, 2, 3)
    TORN[how](tmp_path / "step-00000003")
    checkpoint = ob.Checkpoint(tmp_path)
    state = {"value": torch.zeros(1000)}
    assert checkpoint.restore(state) == (2, 20)
    assert (state["value"] == 2).all()
    checkpoint.save(3, 30, {"value": torch.full((1000,), 33.0)})
    checkpoint.wait()
    saved = checkpoint.load()
    assert saved is not None
    assert (saved.state["value"] == 33).all()
    checkpoint.close()
    newest = next(one for one in found.checkpoints(tmp_path) if one.complete)
    assert newest.path == str(saved.path)


def test_what_is_torn_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    simple(tmp_path, 1, 2)
    cut(tmp_path / "step-00000002")
    saved = ob.Checkpoint(tmp_path).load()
    assert saved is not None
    assert saved.step == 1
    assert "step-00000002 is passed over: state.pt has" in caplog.text


def test_nothing_to_go_on_from(tmp_path: Path) -> None:
    checkpoint = ob.Checkpoint(tmp_path / "new")
    assert checkpoint.load() is None
    assert checkpoint.restore({"value": 1}) is None


def test_the_run_names_folder_and_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = simple(tmp_path / "elsewhere", 5) / "step-00000005"
    monkeypatch.setenv("OUTBOARD_CHECKPOINT_DIR", str(tmp_path / "here"))
    monkeypatch.setenv("OUTBOARD_RESUME_FROM", str(elsewhere))
    with ob.Checkpoint() as checkpoint:
        state = {"value": torch.zeros(1000)}
        assert checkpoint.restore(state) == (5, 50)
        checkpoint.save(6, 60, state)
        checkpoint.wait()
        assert checkpoint.restore(state) == (6, 60)
    assert steps(tmp_path / "here") == [6]
    assert steps(tmp_path / "elsewhere") == [5]


class Handle:
    pass


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"a": {"b": [0, Handle()]}}, r"'a\.b\.1' is a .*Handle: a checkpoint holds tensors, plain values"),
        ({"f": lambda: 0}, "'f' is a builtins.function"),
        ({"a": {Handle(): 1}}, "'a' has the key .*: keys have to be texts or numbers"),
        ({"a": np.array([Handle()], dtype=object)}, "'a' is an array of objects"),
        ([1], "state must be a dict of names and things to save, not a list"),
    ],
)
def test_a_state_that_cannot_be_saved_is_named(state: Any, said: str, tmp_path: Path) -> None:
    with ob.Checkpoint(tmp_path) as checkpoint, pytest.raises(UsageError, match=said):
        checkpoint.save(1, 1, state)
    assert steps(tmp_path) == []


def test_objects_can_be_saved_by_those_who_trust_the_file(tmp_path: Path) -> None:
    with ob.Checkpoint(tmp_path, weights_only=False) as checkpoint:
        checkpoint.save(1, 1, {"handle": Handle()})
        checkpoint.wait()
        saved = checkpoint.load()
        assert saved is not None
        assert isinstance(saved.state["handle"], Handle)
    with pytest.raises(CheckpointError, match=r"state.pt: cannot be read: Weights only load failed"):
        ob.Checkpoint(tmp_path).load()


@pytest.mark.parametrize(
    ("options", "said"),
    [({"keep": 0}, "keep must be"), ({"keep": True}, "keep must"), ({"backend": "x"}, "backend must")],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        ob.Checkpoint(tmp_path, **options)


@pytest.mark.parametrize("step", [-1, 1.5, "x", None])
def test_a_step_that_is_none_is_refused(step: Any, tmp_path: Path) -> None:
    with ob.Checkpoint(tmp_path) as checkpoint, pytest.raises(UsageError, match="step has to be a whole number"):
        checkpoint.save(step, 1, {"a": 1})


def test_a_loader_without_position_is_refused(tmp_path: Path) -> None:
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(3)))
    with ob.Checkpoint(tmp_path) as checkpoint, pytest.raises(UsageError, match="does not know its position"):
        checkpoint.save(1, 1, {"a": 1}, loader)


def test_a_state_that_does_not_fit_is_named(tmp_path: Path) -> None:
    with ob.Checkpoint(tmp_path) as checkpoint:
        checkpoint.save(1, 1, {"model": nn.Linear(2, 2)})
        checkpoint.wait()
        with pytest.raises(CheckpointError, match=r"'model' does not fit what was saved: .*size mismatch"):
            checkpoint.restore({"model": nn.Linear(2, 3)})
        with pytest.raises(CheckpointError, match=r"holds no 'other', but: model"):
            checkpoint.restore({"other": nn.Linear(2, 3)})


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for call in (lambda one: one.restore({}), lambda one: one.save(1, 1, {"a": 1})):
        checkpoint = ob.Checkpoint(tmp_path / "file" / "folder")
        with pytest.raises(CheckpointError, match=r"file/folder: no checkpoint can be written: Not a directory"):
            call(checkpoint)
        checkpoint.close()


def test_what_goes_wrong_in_the_background_is_raised_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = ob.Checkpoint(tmp_path)
    checkpoint.save(1, 1, {"a": torch.zeros(10)})
    checkpoint.wait()

    def broken(path: Path, tree: Any) -> Any:
        raise OSError(5, "Input/output error", str(path))

    with monkeypatch.context() as changed:
        changed.setattr(archive, "write", broken)
        checkpoint.save(2, 2, {"a": torch.zeros(10)})
        with pytest.raises(CheckpointError, match="no checkpoint can be written: Input/output error"):
            checkpoint.save(3, 3, {"a": torch.zeros(10)})
        checkpoint.save(3, 3, {"a": torch.zeros(10)})
        with pytest.raises(CheckpointError, match="Input/output error"):
            checkpoint.wait()
    checkpoint.wait()
    assert steps(tmp_path) == [1]
    assert not list(tmp_path.glob(".step-*"))
    checkpoint.save(3, 3, {"a": torch.zeros(10)})
    checkpoint.close()
    assert steps(tmp_path) == [3, 1]


def test_an_error_of_the_training_is_not_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    def broken(path: Path, tree: Any) -> Any:
        raise OSError(5, "Input/output error", str(path))

    monkeypatch.setattr(archive, "write", broken)
    with pytest.raises(ZeroDivisionError), ob.Checkpoint(tmp_path) as checkpoint:
        checkpoint.save(1, 1, {"a": 1})
        raise ZeroDivisionError
    assert "Input/output error" in capfd.readouterr().err


def test_a_process_that_ends_waits_for_its_last_checkpoint(start: Start, tmp_path: Path) -> None:
    process = start("unwaited", folder=tmp_path / "c")
    assert process.wait() == 0, process.said()
    assert steps(tmp_path / "c") == [1]


def test_room_is_asked_for_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    simple(tmp_path, 1)
    before = sorted(tmp_path.rglob("*"))
    free = type("Disk", (), {"f_bavail": 1000, "f_frsize": 4096})
    with monkeypatch.context() as changed, ob.Checkpoint(tmp_path) as checkpoint:
        changed.setattr(folders.os, "statvfs", lambda _path: free)
        with pytest.raises(DiskFullError, match=r"is full: a checkpoint of 5\.\d MB does not fit in the 4\.1 MB"):
            checkpoint.save(2, 2, {"value": torch.zeros(1_000_000)})
    assert sorted(tmp_path.rglob("*")) == before


def test_the_manifest_tells_what_was_saved(tmp_path: Path) -> None:
    simple(tmp_path, 7)
    told = json.loads((tmp_path / "step-00000007" / "manifest.json").read_text())
    assert (told["step"], told["samples"], told["backend"], told["world"], told["format"]) == (7, 70, "torch", 1, 1)
    assert set(told["files"]) == {"state.pt", "ranks.pt"}
    assert all(len(each["sha256"]) == 64 for each in told["files"].values())


def test_importing_it_alone_imports_no_torch() -> None:
    import subprocess
    import sys

    code = "import sys, outboard; outboard.Checkpoint; print('torch' in sys.modules, 'numpy' in sys.modules)"
    with warnings.catch_warnings():
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False False\n"
