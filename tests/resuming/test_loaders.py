"""In the middle of an epoch no sample is missed and none is repeated, and random numbers go on as they would have."""

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

import outboard as ob  # noqa: E402
from outboard.resuming import data  # noqa: E402

COUNT, BATCH, EPOCHS = 40, 4, 2
BATCHES = COUNT // BATCH * EPOCHS

pytestmark = pytest.mark.filterwarnings("ignore:'set_vital' is deprecated")


def loader(kind: str, own: bool, workers: int) -> Any:
    generator = torch.Generator().manual_seed(1) if own else None
    options: Any = {"batch_size": BATCH, "shuffle": True, "num_workers": workers, "generator": generator}
    rows = TensorDataset(torch.arange(COUNT))
    if kind == "feed":
        return ob.feed(DataLoader(rows, **options), "cpu")
    return pytest.importorskip("torchdata.stateful_dataloader").StatefulDataLoader(rows, **options)


@pytest.mark.parametrize("kind", ["feed", "stateful"])
@pytest.mark.parametrize("own", [True, False], ids=["its own generator", "torch's"])
@pytest.mark.parametrize("workers", [0, 1])
def test_what_comes_after_is_what_would_have_come(kind: str, own: bool, workers: int) -> None:
    torch.manual_seed(0)
    one, given, noted = loader(kind, own, workers), [], []

    def note() -> None:
        noted.append((len(given), copy.deepcopy((data.position(one), torch.get_rng_state()))))

    while len(given) < BATCHES:
        for batch in one:
            given.append((batch[0].tolist(), torch.rand(1).item()))
            if len(given) in (7, 10, 13):
                note()
        note()
    for number, (position, random) in noted[:-1]:
        torch.manual_seed(5)
        other, rest = loader(kind, own, workers), []
        data.go_on(other, position)
        torch.set_rng_state(random)
        while number + len(rest) < BATCHES:
            rest += [(batch[0].tolist(), torch.rand(1).item()) for batch in other]
        assert rest == given[number:]
    samples = [number for batch, _draw in given for number in batch]
    assert sorted(samples) == sorted([*range(COUNT)] * EPOCHS)
