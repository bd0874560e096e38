"""How long a save keeps a training waiting: ``python benchmarks/checkpoint.py [MB]`` prints it for 500 MB.

A state of so many bytes is saved again and again beside a loop of small steps. ``stall`` is the time spent in save();
``steps`` is how much slower the steps are while something is written, which shows what the writer takes from them:
its checksums, its copies to the kernel, and the interpreter. ``plain`` is torch.save, flushed and renamed, for
comparison. The median and the worst of the saves after the first are printed; the first one makes the buffers.
"""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

SAVES = 8
BETWEEN = 0.5  # steps alone after each save was written [s]


def main() -> None:
    import torch

    import outboard as ob

    size = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 500_000_000
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(1)
    many = 4 << 20
    states = {
        "tensors of 4 MB": {str(number): torch.randn(many // 4, device=device) for number in range(size // many)},
        "one tensor": {"all": torch.randn(size // 4, device=device)},
    }
    small = torch.randn(64, 64, device=device)
    for name, state in states.items():
        folder = Path(tempfile.mkdtemp(prefix="outboard-checkpoint-", dir=os.environ.get("FOLDER")))
        try:
            for backend in ("torch", "dcp"):
                whole: Any = state if backend == "torch" else {"model": module(state)}
                checkpoint = ob.Checkpoint(folder / backend, keep=1, backend=backend)
                measured(
                    f"{name}, {backend}",
                    lambda step, checkpoint=checkpoint, whole=whole: checkpoint.save(step, step, whole),
                    checkpoint.wait,
                    lambda checkpoint=checkpoint: checkpoint._writer.busy(),
                    lambda: small @ small,
                )
                checkpoint.close()
                shutil.rmtree(folder / backend)
            measured(
                f"{name}, plain",
                lambda _step, state=state, folder=folder: plain(folder, state),
                None,
                None,
                lambda: small @ small,
            )
        finally:
            shutil.rmtree(folder)


def measured(
    name: str,
    save: Callable[[int], None],
    wait: Callable[[], None] | None,
    busy: Callable[[], bool] | None,
    work: Callable[[], Any],
) -> None:
    stalls, writes, slower = [], [], []
    for step in range(1, SAVES + 2):
        alone = rate(work, lambda begun: time.perf_counter() - begun < BETWEEN)
        begun = time.perf_counter()
        save(step)
        stalls.append(time.perf_counter() - begun)
        if wait is not None and busy is not None:
            beside = rate(work, lambda _begun: busy())
            wait()
            slower.append(alone / beside if beside else float("nan"))
        writes.append(time.perf_counter() - begun)
    first, rest = stalls[0], stalls[1:]
    told = f"{name:24} stall {median(rest):6.3f} s (worst {max(rest):.3f}, first {first:.2f})"
    told += f"  written after {median(writes[1:]):5.2f} s"
    print(told + (f"  steps x{median(slower[1:]):.2f} meanwhile" if slower else ""), flush=True)


def rate(work: Callable[[], Any], goes_on: Callable[[float], bool]) -> float:
    """Steps a second as long as it goes on."""
    begun, count = time.perf_counter(), 0
    while goes_on(begun):
        work()
        count += 1
    return count / (time.perf_counter() - begun)


def module(state: dict[str, Any]) -> Any:
    import torch

    made = torch.nn.Module()
    for name, value in state.items():
        made.register_buffer("b" + name, value)
    return made


def plain(folder: Path, state: Any) -> None:
    import torch

    with (folder / "new.pt").open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    (folder / "new.pt").rename(folder / "latest.pt")


if __name__ == "__main__":
    main()
