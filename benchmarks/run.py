"""Measures what the program promises to be quick at, and how that compares with the promise: ``make bench``.

Each figure is the best of a few runs, because a busy machine only ever makes things slower. Nothing here is asserted in
the tests: a slow machine is not a bug.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

PLACE = "rtx-3060-12gb@tb3"
PROGRAM = [sys.executable, "-c", "import sys; from outboard.cli import main; sys.exit(main())"]
BATCHES = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256)
LLAMA_8B = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "max_position_embeddings": 8192,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
}


@dataclass(frozen=True)
class Figure:
    """One measurement beside its target, both in the same unit."""

    name: str
    value: float
    target: float
    unit: str

    @property
    def ratio(self) -> float:
        """Below 1 keeps the promise."""
        return self.value / self.target


def command(*arguments: str) -> tuple[float, float]:
    """Seconds and peak resident megabytes of one run of the program."""
    begun = time.perf_counter()
    process = subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _pid, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    if os.waitstatus_to_exitcode(status) not in {0, 1}:
        sys.exit(f"outboard {' '.join(arguments)}: {process.stderr.read().decode()}")  # type: ignore[union-attr]
    return seconds, usage.ru_maxrss / 1000  # kilobytes on Linux


def best(measure: Callable[[], tuple[float, float]], runs: int) -> tuple[float, float]:
    """The least of several runs, each column on its own."""
    found = [measure() for _run in range(runs)]
    return min(seconds for seconds, _size in found), min(size for _seconds, size in found)


def start_up(runs: int) -> list[Figure]:
    """What everybody waits for."""
    estimate = ("estimate", "zoo:resnet50", "--task", "train", "--on", PLACE)
    seconds, size = best(lambda: command(*estimate), runs)
    everywhere = best(lambda: command("compare", "zoo:resnet50", "--all"), runs)[0]
    return [
        Figure("outboard --help", best(lambda: command("--help"), runs)[0], 0.5, "s"),
        Figure("estimate zoo:resnet50", seconds, 1.0, "s"),
        Figure("estimate zoo:resnet50, memory", size, 200.0, "MB"),
        Figure("compare zoo:resnet50 --all", everywhere, 2.0, "s"),
    ]


def replay(runs: int) -> list[Figure]:
    """One trace at 300 places and a dozen batches."""
    import numpy as np

    from outboard import api
    from outboard.perf.memory import required_bytes
    from outboard.perf.time import PlaceArrays
    from outboard.perf.time import replay as step_times

    job, recorded = api.prepare("zoo:resnet50")
    places = (api.every_place() * 8)[:300]
    batches = np.array(BATCHES, dtype=float)

    def once() -> tuple[float, float]:
        begun = time.perf_counter()
        step_times(job, recorded, batches, PlaceArrays.of(places))
        required_bytes(job, recorded, batches, places)
        return time.perf_counter() - begun, 0.0

    return [Figure(f"replay of {len(places)} places x {len(batches)} batches", best(once, runs)[0], 1.0, "s")]


def tracing() -> list[Figure]:
    """Recording models, once: a second run would read the cache."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.json"
        config.write_text(json.dumps(LLAMA_8B), encoding="utf-8")
        os.environ["OUTBOARD_CACHE_DIR"] = folder
        resnet = command("trace", "timm:resnet50", "--task", "train")[0]
        llama = command("trace", f"hf:{config}", "--task", "finetune", "--seq-len", "2048", "--precision", "bf16")
    return [
        Figure("trace timm:resnet50, train", resnet, 10.0, "s"),
        Figure("trace 8 B language model, finetune", llama[0], 60.0, "s"),
        Figure("trace 8 B language model, memory", llama[1], 4000.0, "MB"),
    ]


def main() -> int:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--runs", type=int, default=5, help="runs of each short measurement")
    parser.add_argument("--without-torch", action="store_true", help="leave out what needs torch")
    options = parser.parse_args()
    figures = [*start_up(options.runs), *replay(options.runs)]
    if not options.without_torch:
        figures += tracing()
    if options.json:
        print(json.dumps([asdict(figure) | {"ratio": figure.ratio} for figure in figures], indent=2))
        return 0
    for figure in figures:
        print(f"{figure.name:40} {figure.value:8.2f} {figure.unit:2}  of {figure.target:g}  ×{figure.ratio:.2f}")
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.1f}, {resource.getpagesize()} B pages, Python {sys.version.split()[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
