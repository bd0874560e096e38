"""What one core needs to decode, augment and batch a sample: the numbers of ``src/outboard/perf/input/facts.toml``.

    taskset -c 0 python benchmarks/decode.py

Photographs are made, not read: smooth noise of several sizes and details, so that bytes and pixels vary apart. Times
are the least of seven repeats, in seconds of processor time. Needs torch, torchvision and Pillow; prints plain text.
"""

import io
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SIZES = ((250, 200), (469, 387), (1000, 750))
DETAILS = ((2, 75), (6, 92), (12, 95))  # noise, quality of the JPEG
REPEATS, CALLS = 7, 20


def main() -> None:
    import torch
    from PIL import Image, __version__
    from torchvision import io as torchvision_io

    torch.set_num_threads(1)
    print(f"Pillow {__version__}, torch {torch.__version__}")
    rows = []
    for size in SIZES:
        for detail, quality in DETAILS:
            packed = jpeg(photograph(*size, detail), quality)
            raw = torch.frombuffer(bytearray(packed), dtype=torch.uint8)
            pillow = seconds(lambda packed=packed: Image.open(io.BytesIO(packed)).convert("RGB").load())
            rows.append(
                (size[0] * size[1], len(packed), pillow, seconds(lambda raw=raw: torchvision_io.decode_jpeg(raw)))
            )
    for column, name in ((2, "pillow"), (3, "torchvision")):
        per_pixel, per_byte = fitted(rows, column)
        print(f"decode.jpeg.{name}: {per_pixel:.3g} s/pixel, {per_byte:.3g} s/B")
    crops()
    tensors()


def crops() -> None:
    from torchvision import transforms

    rows = []
    for size in (*SIZES, (2000, 1500)):
        for side in (112, 224, 384):
            crop, photo = transforms.RandomResizedCrop(side), photograph(*size, 6)
            rows.append((size[0] * size[1], side * side, seconds(lambda crop=crop, photo=photo: crop(photo))))
    source, left = fitted(rows, 2)
    print(f"augment.crop: {source:.3g} s/pixel of the source, {left:.3g} s/pixel left")
    photo = photograph(224, 224, 6)
    named = {"colour": transforms.ColorJitter(0.4, 0.4, 0.4), "RandAugment": transforms.RandAugment()}
    for name, change in named.items():
        print(f"augment.{name}: {seconds(lambda change=change: change(photo)) / 224**2:.3g} s/pixel")


def tensors() -> None:
    import torch
    from torchvision import transforms

    photo = photograph(224, 224, 6)
    elements = 3 * 224**2
    normalise = transforms.Compose([transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.2] * 3)])
    for name, change in {"uint8": transforms.PILToTensor(), "model": normalise}.items():
        print(f"tensor.{name}: {seconds(lambda change=change: change(photo)) / elements:.3g} s/element")
    images = [torch.zeros(3, 224, 224) for _ in range(64)]
    print(f"tensor.collate: {seconds(lambda: torch.stack(images)) / (64 * elements * 4):.3g} s/B")
    batch = torch.stack(images)
    other = torch.zeros_like(batch)
    print(f"host.pin: {batch.numel() * 4 / seconds(lambda: other.copy_(batch)):.3g} B/s")
    stream = np.zeros(2_000_000, dtype=np.uint16)
    read = seconds(lambda: torch.from_numpy(stream[1000:2025].astype(np.int64)))
    print(f"decode.tokens: {read:.3g} s for 1025 tokens")


def photograph(width: int, height: int, detail: float) -> Any:
    from PIL import Image

    made = np.random.default_rng(0)
    base = made.normal(0, 1, (height // 8 + 1, width // 8 + 1, 3))
    small = Image.fromarray(((base - base.min()) / np.ptp(base) * 255).astype("uint8"))
    noisy = np.asarray(small.resize((width, height), 3)).astype(float) + made.normal(0, detail, (height, width, 1))
    return Image.fromarray(noisy.clip(0, 255).astype("uint8"))


def jpeg(photo: Any, quality: int) -> bytes:
    kept = io.BytesIO()
    photo.save(kept, "JPEG", quality=quality)
    return kept.getvalue()


def seconds(call: Callable[[], object]) -> float:
    least = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        for _ in range(CALLS):
            call()
        least = min(least, (time.process_time() - start) / CALLS)
    return least


def fitted(rows: list[tuple[float, ...]], column: int) -> tuple[float, float]:
    """Least squares of the relative error of ``a x first + b x second``."""
    table = np.array(rows)
    measured = table[:, column]
    found = np.linalg.lstsq(table[:, :2] / measured[:, None], np.ones(len(rows)), rcond=None)[0]
    return float(found[0]), float(found[1])


if __name__ == "__main__":
    main()
