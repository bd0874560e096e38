"""Progress in the lines that common trainers print. Only the standard library: it goes to the place with the keeper."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Optional

Told = Dict[str, Any]
Reader = Callable[[str], Optional[Told]]
NUMBERS = ("step", "total", "samples", "epoch", "epochs", "loss")

# trainer -> patterns of its lines, written from what the programs print; named groups as in NUMBERS, and "within" and
# "each": the position inside an epoch and the length of one.
PATTERNS: dict[str, tuple[str, ...]] = {
    # tqdm around all steps: " 12%|█▏        | 120/1000 [00:10<01:12, 12.1it/s]"; and a log line of its own.
    "transformers": (
        r"^\s*\d+%\|[^|]*\|\s*(?P<step>\d+)/(?P<total>\d+)\s*\[",
        r"^\{'loss':\s*'?(?P<loss>[\d.eE+-]+)'?,.*'epoch':\s*'?(?P<epoch>[\d.]+)'?",
    ),
    # "Epoch 3:  45%|████▌     | 120/265 [00:10<00:12, 11.5it/s, v_num=0]"
    "lightning": (r"^Epoch (?P<epoch>\d+):\s*\d+%\|[^|]*\|\s*(?P<within>\d+)/(?P<each>\d+)",),
    # "1|120|Loss: 1.23:  12%|█▏  | 120/1000 [...]": epoch, then steps of the optimizer since the start
    "torchtune": (r"^(?P<epoch>\d+)\|(?P<step>\d+)\|Loss:\s*(?P<loss>[\d.eE+-]+)",),
    # "      3/100      2.1G      1.234   ...   640:  45%|████▌     | 120/265"
    "ultralytics": (
        r"^\s*(?P<epoch>\d+)/(?P<epochs>\d+)\s+[\d.]+[GM]\s.*?\|\s*(?P<within>\d+)/(?P<each>\d+)",
        r"^\s*(?P<epoch>\d+)/(?P<epochs>\d+)\s+[\d.]+[GM]\s.*?\b(?P<within>\d+)/(?P<each>\d+)\s",
    ),
    # "Train: 3 [ 100/1251 (  8%)]  Loss: 3.21 (3.40)  ..."
    "timm": (r"^Train:\s*(?P<epoch>\d+)\s*\[\s*(?P<within>\d+)/(?P<each>\d+)[^\]]*\](?:\s+Loss:\s*(?P<loss>[\d.]+))?",),
    "tqdm": (r"\d+%\|[^|]*\|\s*(?P<step>\d+)/(?P<total>\d+)\s*\[",),
}
ORDER = ("torchtune", "ultralytics", "timm", "lightning", "transformers", "tqdm")  # the most telling first
MOST = 2000  # a longer line is no line of a trainer


def reader(trainer: str | None = None, pattern: str | None = None) -> Reader:
    """Return what reads one line: by the person's own pattern, by a trainer's, or by all of them."""
    if pattern:
        compiled = [re.compile(pattern)]
    else:
        names = ORDER if trainer in (None, "auto") else (trainer,)
        compiled = [re.compile(text) for name in names for text in PATTERNS[str(name)]]

    def read(line: str) -> Told | None:
        return _read(compiled, line[:MOST])

    return read


def _read(compiled: list[re.Pattern[str]], line: str) -> Told | None:
    for one in compiled:
        found = one.search(line)
        if found is not None:
            return _told({name: value for name, value in found.groupdict().items() if value is not None})
    return None


def _told(said: dict[str, str]) -> Told | None:
    numbers = {name: found for name, text in said.items() if (found := _number(text)) is not None}
    within, each = numbers.pop("within", None), numbers.pop("each", None)
    if within is not None and each:
        epoch = numbers.get("epoch", 0.0)
        numbers["step"] = epoch * each + within
        if "epochs" in numbers:
            numbers["total"] = numbers["epochs"] * each
    for name in ("step", "total", "samples"):
        if name in numbers:
            numbers[name] = int(numbers[name])
    return numbers or None


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "").replace("_", ""))
    except ValueError:
        return None
