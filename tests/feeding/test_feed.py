"""A feed gives what its loader gives: the same batches, in the same order, also after an interruption."""

import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader, IterableDataset, TensorDataset  # noqa: E402

import outboard as ob  # noqa: E402
from outboard.errors import UsageError  # noqa: E402
from outboard.feeding.trees import mapped, size, tensors  # noqa: E402

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def images(count: int = 20) -> TensorDataset:
    made = torch.Generator().manual_seed(0)
    pixels = torch.randint(0, 256, (count, 3, 8, 8), dtype=torch.uint8, generator=made)
    return TensorDataset(pixels, torch.arange(count))


def loader(seed: int | None = 1, **options: Any) -> Any:
    generator = torch.Generator().manual_seed(seed) if seed is not None else None
    return DataLoader(images(), **{"batch_size": 3, "shuffle": True, "generator": generator, **options})


def labels(batches: Any) -> list[list[int]]:
    return [batch[1].tolist() for batch in batches]


@pytest.mark.parametrize("options", [{}, {"num_workers": 2}, {"drop_last": True}, {"shuffle": False}])
def test_batches_are_those_of_the_loader(options: dict[str, Any]) -> None:
    plain, fed = list(loader(**options)), list(ob.feed(loader(**options), "cpu"))
    assert len(plain) == len(fed)
    for one, other in zip(plain, fed, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_every_epoch_is_that_of_the_loader() -> None:
    plain, fed = loader(), ob.feed(loader(), "cpu")
    for _epoch in range(3):
        assert labels(plain) == labels(fed)
    assert len(fed) == len(plain)


def test_bytes_become_what_torchvision_makes_of_them_on_the_host() -> None:
    fed = ob.feed(loader(), "cpu", mean=MEAN, std=STD, channels_last=True)
    for (pixels, marks), (made, same) in zip(loader(), fed, strict=True):
        middle, deviation = (torch.tensor(each).view(1, 3, 1, 1) for each in (MEAN, STD))
        torch.testing.assert_close(made, (pixels.float() / 255 - middle) / deviation, rtol=0, atol=1e-6)
        assert made.is_contiguous(memory_format=torch.channels_last)
        assert torch.equal(marks, same)
    half = next(iter(ob.feed(loader(), "cpu", dtype=torch.bfloat16)))[0]
    assert half.dtype == torch.bfloat16


@pytest.mark.parametrize("seed", [1, None])
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("seen", [1, 4, 7])
def test_an_epoch_carries_on_where_it_was_interrupted(seed: int | None, workers: int, seen: int) -> None:
    torch.manual_seed(3)
    whole = labels(loader(seed, num_workers=workers))
    torch.manual_seed(3)
    fed = ob.feed(loader(seed, num_workers=workers), "cpu")
    given = iter(fed)
    before = [next(given)[1].tolist() for _batch in range(seen)]
    state = fed.state_dict()
    torch.manual_seed(99)
    again = ob.feed(loader(seed, num_workers=workers), "cpu")
    again.load_state_dict(state)
    assert before + labels(again) == whole
    assert again.state_dict()["epoch"] == 1


def test_a_state_survives_being_saved(tmp_path: Any) -> None:
    fed = ob.feed(loader(), "cpu")
    given = iter(fed)
    next(given)
    torch.save(fed.state_dict(), tmp_path / "state")
    loaded = torch.load(tmp_path / "state")
    assert loaded["batch"] == 1


def test_what_was_seen_is_not_loaded_again() -> None:
    loads: list[int] = []

    class Counting(TensorDataset):
        def __getitem__(self, index: int) -> Any:
            loads.append(index)
            return super().__getitem__(index)

    fed = ob.feed(DataLoader(Counting(torch.arange(20)), batch_size=5), "cpu")
    fed.load_state_dict({**fed.state_dict(), "batch": 3, "began": {"host": torch.get_rng_state()}})
    assert [batch[0].tolist() for batch in fed] == [[15, 16, 17, 18, 19]]
    assert loads == [15, 16, 17, 18, 19]


def test_a_stream_is_read_again_up_to_where_it_was() -> None:
    class Stream(IterableDataset):  # type: ignore[type-arg]
        def __iter__(self) -> Iterator[int]:
            return iter(range(12))

    fed = ob.feed(DataLoader(Stream(), batch_size=4), "cpu")
    fed.load_state_dict({"epoch": 0, "batch": 2, "began": {"host": torch.get_rng_state()}})
    assert [batch.tolist() for batch in fed] == [[8, 9, 10, 11]]


def test_a_cache_gives_the_same_batches_without_the_loader() -> None:
    fed = ob.feed(loader(), "cpu", cache=True)
    first = labels(fed)
    fed.loader = None
    later = labels(fed)
    assert sorted(first) == sorted(later)
    ordered = ob.feed(loader(shuffle=False), "cpu", cache=True)
    assert labels(ordered) == labels(ordered)


def test_a_cache_holds_whole_epochs_only() -> None:
    fed = ob.feed(loader(), "cpu", cache=True)
    for _batch in fed:
        break
    assert fed._cached is None


def test_any_structure_of_tensors_keeps_its_form() -> None:
    Pair = namedtuple("Pair", "image mark")
    batch = {"a": [torch.zeros(2), "text"], "b": Pair(torch.ones(3), (torch.ones(1),)), "c": 7}
    moved = mapped(batch, lambda tensor: tensor + 1)
    assert isinstance(moved["b"], Pair) and moved["a"][1] == "text" and moved["c"] == 7
    assert [tensor.tolist() for tensor in tensors(moved)] == [[1, 1], [2, 2, 2], [2]]
    assert size(batch) == 6 * 4


def test_what_cannot_be_is_told_at_once() -> None:
    with pytest.raises(UsageError, match="belong together"):
        ob.feed(loader(), "cpu", mean=MEAN)
    with pytest.raises(UsageError, match="one number for each channel"):
        ob.feed(loader(), "cpu", mean=MEAN, std=(1.0,))
    with pytest.raises(UsageError, match="depth"):
        ob.feed(loader(), "cpu", depth=0)


def test_the_package_is_imported_without_torch() -> None:
    code = "import sys, outboard, outboard.feeding; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_batches_arrive_on_the_device_unharmed() -> None:
    plain, fed = list(loader()), ob.feed(loader(), "cuda", depth=3)
    for one, other in zip(plain, fed, strict=True):
        assert all(torch.equal(a, b.cpu()) for a, b in zip(one, other, strict=True))
