"""Serving held against published rates of llama.cpp and its own reports of memory: ``python -m accuracy.serving``.

Prints the errors of memory, to which nothing was fitted, and those of decode and prefill rates on one GPU with every
GPU left out of the fit in turn, then the coefficients that follow from all of them. Rates of other engines built on
llama.cpp, of several GPUs and of Apple's are not among them: the first run on hosts and with offloading that the
tables do not name.
"""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

from accuracy import reference
from outboard import catalog
from outboard.catalog.model_files import language_model
from outboard.errors import UsageError
from outboard.perf.serving import MIXES, Mix, speed
from outboard.perf.serving.memory import Workload, memory
from outboard.types.hardware import Device, Place
from outboard.types.llm import LanguageModel
from outboard.types.trace import FloatArray

MODELS = {
    "gguf:llama-2-7b.Q4_0": "llama-2-7b",
    "gguf:Llama-3-8B.Q4_K_M": "llama-3-8b",
    "gguf:Llama-3-8B.F16": "llama-3-8b",
    "gguf:Llama-3-70B.Q4_K_M": "llama-3-70b",
    "gguf:Llama-3-70B.F16": "llama-3-70b",
}
# The first Llama, whose sizes no table here needs otherwise: layers, hidden, heads, key heads, intermediate.
SIZES = {
    "7B": (32, 4096, 32, 32, 11008),
    "13B": (40, 5120, 40, 40, 13824),
    "30B": (60, 6656, 52, 52, 17920),
    "65B": (80, 8192, 64, 64, 22016),
    "70B-v2": (80, 8192, 64, 8, 28672),
}
# What the table calls by a name that fits two cards: Llama 3 70B ran on one of these, which 40 GB cannot hold.
CARDS = {"a100-pcie": "a100-pcie-80gb", "a100-80-gb": "a100-sxm4-80gb"}
DECODE = ("memory", "unpacking", "whole", "layer", "cache")
PREFILL = ("operations_nvidia", "operations_dp4a", "operations_amd", "attention")
Seconds = Callable[..., float]  # of a model, its mix, a device and a context, with coefficients ``c`` [s]


@dataclass(frozen=True)
class Row:
    """One measured rate."""

    model: LanguageModel
    mix: Mix
    place: Place
    context: int
    name: str  # of the workload
    how: dict[str, bool]  # whether prompts were read with flash attention
    seconds: float  # of one token [s]

    @property
    def device(self) -> Device:
        """Each of the devices."""
        return self.place.device

    @property
    def count(self) -> int:
        """How many of them."""
        return self.place.count


def rows(quantity: str, count: int = 1) -> list[Row]:
    """Rates of ``count`` GPUs of the catalogue. A rate of writing is an average over a context that fills up."""
    found: list[Row] = []
    with (reference.require() / "llm_inference.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["workload"] not in MODELS or row["quantity"] != quantity or row["num_gpus"] != str(count):
                continue
            try:
                device = catalog.place(CARDS.get(row["gpu"], row["gpu"])).device
                place = catalog.place(f"{device.id}x{count}")
            except UsageError:
                continue
            length = int(row["seq_len"])
            context = length // 2 if quantity == "decode_rate" else length
            model, mix = language_model(MODELS[row["workload"]]), MIXES[row["precision"]]
            how = {"flash": "flash attention on" in row["note"]} if quantity == "prefill_rate" else {}
            seconds = 1.0 / float(row["value"])
            found.append(Row(model, mix, place, context, row["workload"], how, seconds))
    return found


def errors(found: list[Row], seconds: Seconds, changed: dict[str, float]) -> FloatArray:
    """ln(forecast / measured) with some coefficients ``changed``."""
    c = {**speed.coefficients(), **changed}
    said = [seconds(row.model, row.mix, row.device, row.context, c=c, **row.how) for row in found]
    return np.log(np.array(said) / np.array([row.seconds for row in found]))


def fitted(found: list[Row], seconds: Seconds, names: tuple[str, ...]) -> dict[str, float]:
    """The coefficients ``names`` by robust least squares, starting from those that ship."""
    start = np.log([speed.coefficients()[name] for name in names])

    def values(x: FloatArray) -> dict[str, float]:
        return dict(zip(names, np.exp(x).tolist(), strict=True))

    best = least_squares(lambda x: errors(found, seconds, values(x)), start, loss="soft_l1", f_scale=0.1)
    return values(best.x)


def left_out(
    found: list[Row], seconds: Seconds, names: tuple[str, ...]
) -> Iterator[tuple[list[Row], dict[str, float]]]:
    """The rows of each GPU, with the coefficients that follow from those of all others."""
    for gpu in sorted({row.device.id for row in found}):
        rest = [row for row in found if row.device.id != gpu]
        yield [row for row in found if row.device.id == gpu], fitted(rest, seconds, names)


def judge(title: str, quantity: str, seconds: Seconds, names: tuple[str, ...]) -> None:
    """Print the errors with each GPU left out, and what follows from all."""
    found = rows(quantity)
    off: list[float] = []
    for there, changed in left_out(found, seconds, names):
        off += errors(there, seconds, changed).tolist()
    size = np.abs(np.expm1(off))
    print(f"{title}: {len(off)} rows, median {np.median(size):.1%}, 90 % {np.quantile(size, 0.9):.1%}")
    print("  " + ", ".join(f"{name} = {value:.4g}" for name, value in fitted(found, seconds, names).items()))


def memory_rows() -> list[tuple[str, str, float, float]]:
    """Model, GPU, forecast and logged bytes on the device, of each run with a context of 512 tokens."""
    found: list[tuple[str, str, float, float]] = []
    with (reference.require() / "llm_inference_memory.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            kind = {"Q4_0": "q4_0", "F16": "f16"}.get(row["ftype"])
            name = Path(row["model_file"]).parent.name
            sizes = SIZES.get(name) or SIZES.get(name.removesuffix("-v2"))
            if not row["vram_total_mib"] or row["n_ctx"] != "512" or kind is None or sizes is None:
                continue
            layers, hidden, heads, kv_heads, inner = sizes
            model = LanguageModel(name, name, layers, hidden, heads, kv_heads, 128, inner, 32000, 4096)
            said = memory(model, MIXES[kind], Workload(512, flash=False)).device
            found.append((f"Llama {name} {kind}", row["device"], said, float(row["vram_total_mib"]) * 2**20))
    return found


def judge_memory() -> None:
    """Print how far what llama.cpp reported for contexts of 512 tokens lies off."""
    size = np.abs([said / logged - 1.0 for _name, _gpu, said, logged in memory_rows()])
    print(f"memory: {len(size)} rows, median {np.median(size):.3%}, worst {size.max():.3%}")


def main() -> None:
    """Print everything."""
    judge_memory()
    judge("decode", "decode_rate", speed.decode_seconds, DECODE)
    judge("prefill", "prefill_rate", speed.prefill_seconds, PREFILL)


if __name__ == "__main__":
    main()
