"""Measures what the program promises to be quick at, and how that compares with the promise: ``make bench``.

Each figure is the best of a few runs, because a busy machine only ever makes things slower; seconds of the processor
stand beside those of the clock for the same reason. Nothing here is asserted in the tests: a slow machine is not a bug.
"""

import argparse
import json
import os
import shutil
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
    """One measurement beside its target, both in the same unit; ``cpu`` are seconds of the processor."""

    name: str
    value: float
    target: float
    unit: str
    cpu: float | None = None

    @property
    def ratio(self) -> float:
        """Below 1 keeps the promise."""
        return self.value / self.target


@dataclass(frozen=True)
class Cost:
    """What one run took."""

    seconds: float
    cpu: float
    megabytes: float


def command(*arguments: str) -> Cost:
    """One run of the program."""
    begun = time.perf_counter()
    process = subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    complaint = process.stderr.read() if process.stderr else ""
    _pid, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    if os.waitstatus_to_exitcode(status) not in {0, 1}:
        sys.exit(f"outboard {' '.join(arguments)}: {complaint}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)  # kilobytes on Linux


def best(measure: Callable[[], Cost], runs: int) -> Cost:
    """The least of several runs, each quantity on its own."""
    found = [measure() for _run in range(runs)]
    return Cost(*(min(getattr(cost, name) for cost in found) for name in ("seconds", "cpu", "megabytes")))


def timed(name: str, cost: Cost, target: float) -> Figure:
    """A figure in seconds."""
    return Figure(name, cost.seconds, target, "s", cost.cpu)


def start_up(runs: int) -> list[Figure]:
    """What everybody waits for."""
    estimate = best(lambda: command("estimate", "zoo:resnet50", "--task", "train", "--on", PLACE), runs)
    return [
        timed("outboard --help", best(lambda: command("--help"), runs), 0.5),
        timed("estimate zoo:resnet50", estimate, 1.0),
        Figure("estimate zoo:resnet50, memory", estimate.megabytes, 200.0, "MB"),
        timed("compare zoo:resnet50 --all", best(lambda: command("compare", "zoo:resnet50", "--all"), runs), 2.0),
    ]


def replay(runs: int) -> list[Figure]:
    """One trace at 300 places and a dozen batches."""
    import numpy as np

    from outboard import api
    from outboard.perf.memory import required_bytes
    from outboard.perf.time import PlaceArrays
    from outboard.perf.time import replay as step_times

    places = (api.every_place() * 8)[:300]
    batches = np.array(BATCHES, dtype=float)

    def once() -> Cost:
        job, recorded = api.prepare("zoo:resnet50")  # anew each time: what is known of a trace is kept with it
        begun, worked = time.perf_counter(), time.process_time()
        step_times(job, recorded, batches, PlaceArrays.of(places))
        required_bytes(job, recorded, batches, places)
        return Cost(time.perf_counter() - begun, time.process_time() - worked, 0.0)

    return [timed(f"replay of {len(places)} places x {len(batches)} batches", best(once, runs), 0.2)]


def tracing() -> list[Figure]:
    """Recording models, once: a second run would read the cache."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.json"
        config.write_text(json.dumps(LLAMA_8B), encoding="utf-8")
        os.environ["OUTBOARD_CACHE_DIR"] = folder
        resnet = command("trace", "timm:resnet50", "--task", "train")
        llama = command("trace", f"hf:{config}", "--task", "finetune", "--seq-len", "2048", "--precision", "bf16")
    return [
        timed("trace timm:resnet50, train", resnet, 10.0),
        timed("trace 8 B language model, finetune", llama, 60.0),
        Figure("trace 8 B language model, memory", llama.megabytes, 4000.0, "MB"),
    ]


def validation() -> list[Figure]:
    """A table of 500 rows: first nothing is recorded yet, then all traces are there; last, all outcomes are."""
    models = ("resnet18", "resnet50", "mobilenetv3_large_100", "vit_tiny_patch16_224", "convnext_atto")
    gpus = ("rtx-3060-12gb", "rtx-3090", "rtx-4090", "a100-80gb", "h100-sxm", "t4", "v100", "l4", "rtx-2080-ti", "a10")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["OUTBOARD_CACHE_DIR"] = str(Path(folder) / "cache" / "traces")
        table = Path(folder) / "rows.csv"
        rows = [
            f"timm:{model},infer,amp-fp16,{batch},{gpu},throughput,1000,samples/s"
            for model in models
            for gpu in gpus
            for batch in range(8, 88, 8)
        ]
        heading = "workload,task,precision,batch_size,gpu,quantity,value,unit"
        table.write_text("\n".join([heading, *rows]) + "\n", encoding="utf-8")
        cold = command("validate", str(table))
        shutil.rmtree(Path(folder) / "cache" / "validation", ignore_errors=True)
        warm = command("validate", str(table))
        again = command("validate", str(table))
    return [
        timed(f"validate {len(rows)} rows, {len(models)} models to record", cold, 60.0),
        Figure("the same, memory", cold.megabytes, 2000.0, "MB"),
        timed(f"validate {len(rows)} rows, traces at hand", warm, 10.0),
        Figure("the same, memory", warm.megabytes, 300.0, "MB"),
        timed(f"validate {len(rows)} rows, a second time", again, 5.0),
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
        figures += [*tracing(), *validation()]
    if options.json:
        print(json.dumps([asdict(figure) | {"ratio": figure.ratio} for figure in figures], indent=2))
        return 0
    for figure in figures:
        cpu = "" if figure.cpu is None else f"  ({figure.cpu:.2f} s of the processor)"
        print(f"{figure.name:40} {figure.value:8.2f} {figure.unit:2}  of {figure.target:g}  ×{figure.ratio:.2f}{cpu}")
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.1f}, Python {sys.version.split()[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
