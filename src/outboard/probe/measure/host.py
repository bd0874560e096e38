"""What the host does for a job: decode images, split text into tokens, read its disk."""

import io
import os
import random
import tempfile
from pathlib import Path

from outboard.probe.measure.timing import Timed, timed
from outboard.types.measured import Figure

SIDE = 500  # pixels: about that of ImageNet
READ = 64 * 2**20  # bytes that are written and read again [B]
WORDS = 20_000


def per_second(name: str, amount: float, took: Timed, unit: str) -> Figure:
    """A rate from a time."""
    return Figure(name, amount / took.seconds, amount / took.high, amount / took.low, unit, took.repetitions)


def decode(patience: float) -> list[Figure]:
    """JPEG images for each second and core with Pillow, ``decode.jpeg``; nothing where Pillow is missing."""
    try:
        from PIL import Image
    except ImportError:
        return []
    noise = random.Random(0).randbytes(3 * (SIDE // 10) ** 2)  # blocks of noise compress about as photographs do
    picture = Image.frombytes("RGB", (SIDE // 10, SIDE // 10), noise).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=90)

    def call() -> None:
        with Image.open(io.BytesIO(file.getvalue())) as image:
            image.convert("RGB").resize((256, 256), Image.Resampling.BILINEAR)

    return [per_second("decode.jpeg", 1.0, timed(call, patience=patience), "1/s")]


def tokenise(patience: float) -> list[Figure]:
    """Tokens for each second with a byte-pair tokenizer trained on the spot; nothing without the library."""
    try:
        from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    except ImportError:
        return []
    source = random.Random(0)
    lexicon = ["".join(source.choices("etaoinshrdlu", k=source.randint(2, 9))) for _ in range(2000)]
    text = " ".join(source.choices(lexicon, k=WORDS))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()  # type: ignore[reportAttributeAccessIssue]
    tokenizer.train_from_iterator([text], trainers.BpeTrainer(vocab_size=1000, show_progress=False))
    count = len(tokenizer.encode(text).ids)
    took = timed(lambda: tokenizer.encode(text), patience=patience)
    return [per_second("tokenise.bpe", count, took, "1/s")]


def disk(patience: float) -> list[Figure]:
    """Sequential read and write of a file in the folder for temporary files, past the system's cache where possible."""
    block = os.urandom(2**20)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "block"

        def write() -> None:
            with path.open("wb", buffering=0) as file:
                for _number in range(READ // len(block)):
                    file.write(block)
                os.fsync(file.fileno())

        def read() -> None:
            with path.open("rb", buffering=0) as file:
                if hasattr(os, "posix_fadvise"):
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                while file.read(2**20):
                    pass

        wrote = timed(write, patience=patience, least=3)
        return [
            per_second("disk.write", READ, wrote, "B/s"),
            per_second("disk.read", READ, timed(read, patience=patience, least=3), "B/s"),
        ]
