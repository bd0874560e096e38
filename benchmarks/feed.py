"""How ``outboard.feed`` compares with the loader it wraps: ``python benchmarks/feed.py`` prints ratios of time.

On the host's processor the feed only passes batches on, so its ratio to the plain loader has to be 1. Where a GPU is at
hand, the plain loader and one with pinned memory and ``non_blocking`` are compared too, beside a step that keeps the
device busy. Below 1 the feed is quicker. Runs alternate, and the ratio of the best ones is
printed beside that of the medians: a busy machine only ever makes things slower.
"""

import time
from collections.abc import Callable, Iterable
from statistics import median
from typing import Any

ROUNDS = 31
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def main() -> None:
    import torch

    import outboard as ob

    torch.set_num_threads(1)
    floats, bytes_ = data(torch.float32), data(torch.uint8)
    compared("host, batches of floats", {"feed": ob.feed(floats, "cpu"), "loader": floats}, consumed)
    compared(
        "host, bytes normalised",
        {"feed": ob.feed(bytes_, "cpu", mean=MEAN, std=STD), "loader": Changed(bytes_, normalised)},
        consumed,
    )
    if torch.cuda.is_available():
        on_the_device(floats, bytes_)


def on_the_device(floats: Any, bytes_: Any) -> None:
    import torch

    import outboard as ob

    weights = torch.randn(4096, 4096, device="cuda", dtype=torch.float16)

    def trained(batches: Iterable[Any]) -> None:
        for pixels, _marks in batches:
            pixels.sum()
            for _product in range(8):
                weights @ weights
        torch.cuda.synchronize()

    pinned = data(torch.float32, pin_memory=True)
    ways = {
        "feed": ob.feed(bytes_, "cuda", mean=MEAN, std=STD),
        "plain": Changed(floats, lambda batch: [each.to("cuda") for each in batch]),
        "pinned, non_blocking": Changed(pinned, lambda batch: [each.to("cuda", non_blocking=True) for each in batch]),
    }
    compared("device", ways, trained)


class Changed:
    """Batches with something done to each, as a loop without a feed does it."""

    def __init__(self, batches: Iterable[Any], change: Callable[[Any], Any]) -> None:
        self.batches, self.change = batches, change

    def __iter__(self) -> Any:
        return map(self.change, self.batches)


def normalised(batch: Any) -> Any:
    pixels, marks = batch
    return (pixels.float() / 255 - tensor(MEAN)) / tensor(STD), marks


def data(dtype: Any, **options: Any) -> Any:
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    pixels = torch.zeros(512, 3, 128, 128, dtype=dtype)
    return DataLoader(TensorDataset(pixels, torch.arange(512)), batch_size=64, **options)


def tensor(values: tuple[float, ...]) -> Any:
    import torch

    return torch.tensor(values).view(1, 3, 1, 1)


def consumed(batches: Iterable[Any]) -> None:
    for _batch in batches:
        pass


def compared(title: str, ways: dict[str, Iterable[Any]], use: Callable[[Iterable[Any]], None]) -> None:
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(ROUNDS):
        for name, batches in list(ways.items())[:: -1 if turn % 2 else 1]:
            start = time.perf_counter()
            use(batches)
            times[name].append(time.perf_counter() - start)
    first, *others = ways
    for other in others:
        best, middle = (least(times[first]) / least(times[other]) for least in (min, median))
        print(f"{title}: {first} / {other} = {best:.2f} of the best runs, {middle:.2f} of the medians")


if __name__ == "__main__":
    main()
