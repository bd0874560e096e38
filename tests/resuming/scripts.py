"""What the processes of these tests do; ``nursery.py`` runs them."""

import hashlib
import importlib
import io
import json
import os
import runpy
import signal
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch import nn

import outboard
from outboard.resuming import folders, lease

try:
    from torchdata.stateful_dataloader import StatefulDataLoader
except ImportError:
    StatefulDataLoader = None

torch.set_num_threads(1)
ROWS = 44
held: list[Any] = []


def warm_up() -> None:
    """Let torch import what it imports late, so that no fork has to; no thread is begun."""
    model = nn.Linear(1, 1)
    for each in model.parameters():
        each.grad = torch.zeros_like(each)
    optimizer = torch.optim.AdamW(model.parameters())
    torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 1)
    optimizer.step()
    optimizer.state_dict()
    torch.save({}, io.BytesIO())
    torch.empty(3).clone(memory_format=torch.preserve_format)
    for name in ("outboard.feeding.feed", "outboard.resuming.checkpoint", "torch.distributed.tensor"):
        importlib.import_module(name)


def loaders(kind: str, workers: int = 0) -> Any:
    made = torch.Generator().manual_seed(0)
    data = torch.utils.data.TensorDataset(torch.arange(ROWS), torch.randn(ROWS, 8, generator=made))
    if kind == "stateful":
        return StatefulDataLoader(data, batch_size=4, shuffle=True, num_workers=workers)
    return outboard.feed(torch.utils.data.DataLoader(data, batch_size=4, shuffle=True, num_workers=workers), "cpu")


def train(
    folder: str,
    steps: int,
    result: str = "",
    kind: str = "feed",
    workers: int = 0,
    every: int = 1,
    width: int = 8,
    pause: float = 0.0,
    asynchronous: bool = True,
    keep: int = 3,
) -> None:
    """Train with dropout and shuffling, which go on exactly only if all random numbers do."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, width), nn.Dropout(0.3), nn.ReLU(), nn.Linear(width, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    loader = loaders(kind, workers)
    checkpoint = outboard.Checkpoint(folder, keep=keep, asynchronous=asynchronous)
    state: dict[str, Any] = {"model": model, "optimizer": optimizer, "schedule": schedule, "seen": [], "losses": []}
    step, samples = checkpoint.restore(state, loader) or (0, 0)
    while step < steps:
        for numbers, rows in loader:
            loss = (model(rows) - rows.sum(1, keepdim=True)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            step, samples = step + 1, samples + len(numbers)
            state["seen"] += numbers.tolist()
            state["losses"].append(loss.item())
            outboard.report(step=step, samples=samples, loss=loss)
            if step % every == 0 or step == steps:
                checkpoint.save(step, samples, state, loader)
            checkpoint.stop_if_asked(step, samples, state, loader)
            time.sleep(pause)
            if step == steps:
                break
    checkpoint.wait()
    told = {"step": step, "samples": samples, "seen": state["seen"], "losses": state["losses"], "model": digest(model)}
    Path(result).write_text(json.dumps(told))


def digest(model: Any) -> str:
    total = hashlib.sha256()
    for value in model.state_dict().values():
        total.update(value.numpy().tobytes())
    return total.hexdigest()


def saves(folder: str, until: int, ready: str = "", go: str = "", restore: bool = True) -> None:
    """Save one step after another; wait for ``go`` before each one from the second."""
    checkpoint = outboard.Checkpoint(folder, asynchronous=False)
    state = {"value": torch.zeros(1000)}
    step, _samples = (checkpoint.restore(state) if restore else None) or (0, 0)
    while step < until:
        step += 1
        checkpoint.save(step, step, state)
        if ready:
            Path(ready).touch()
            wait_for(Path(go))


def slow_commit(folder: str, ready: str, go: str) -> None:
    """Save once, held up between the files and the commit."""
    commit = folders.commit

    def held(*arguments: Any) -> Path:
        Path(ready).touch()
        wait_for(Path(go))
        return commit(*arguments)

    folders.commit = held
    checkpoint = outboard.Checkpoint(folder, asynchronous=False)
    state = {"value": torch.zeros(1000)}
    step, _samples = checkpoint.restore(state) or (0, 0)
    checkpoint.save(step + 1, None, state)


def forks_while_locked(folder: str) -> None:
    """Take the lock a second time while a process lives that was forked while it was held."""
    lease.PATIENCE = 2.0
    one = lease.Lease(Path(folder))
    one.take()
    with one.held():
        worker = os.fork()
        if worker == 0:
            signal.pause()
    try:
        with one.held():
            pass
    finally:
        os.kill(worker, signal.SIGKILL)


def held_workers(folder: str) -> None:
    """End while something still holds the loader with its workers."""
    held.append(loaders("feed", 2))
    loader = held[0]
    outboard.Checkpoint(folder).restore({"a": 1}, loader)
    held.append(iter(loader))
    next(held[-1])


def example(arguments: list[str]) -> None:
    """Run ``examples/resume/train.py``."""
    path = Path(__file__).parents[2] / "examples" / "resume" / "train.py"
    sys.argv = [str(path), *arguments]
    runpy.run_path(str(path), run_name="__main__")


def unwaited(folder: str) -> None:
    """Save, and end without a word."""
    checkpoint = outboard.Checkpoint(folder)
    checkpoint.save(1, 1, {"value": torch.zeros(1 << 20)})


def fills(folder: str, result: str, count: int, look: bool = True) -> None:
    """Save 4 MB again and again, and tell what happened; without a look at the room before if so wanted."""
    if not look:
        folders.require_room = lambda _folder, _needed: None
    checkpoint = outboard.Checkpoint(folder, keep=10)
    state = {"value": torch.zeros(1 << 20)}
    told = []
    for step in range(1, count + 1):
        try:
            checkpoint.save(step, step, state)
            checkpoint.wait()
            told.append("")
        except outboard.OutboardError as error:
            told.append(f"{type(error).__name__}: {error}")
    Path(result).write_text(json.dumps(told))


def rank(folder: str, number: int, world: int, meet: str, result: str, steps: int, backend: str = "auto") -> None:
    """One rank of a training that FSDP2 spreads, or of a plain one if ``backend`` is torch."""
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    dist.init_process_group("gloo", init_method=f"file://{meet}", rank=number, world_size=world)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    if backend != "torch":
        fully_shard(model, mesh=init_device_mesh("cpu", (world,)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    checkpoint = outboard.Checkpoint(folder, backend=backend)
    state: dict[str, Any] = {"model": model, "optimizer": optimizer, "epoch": 0}
    step, samples = checkpoint.restore(state) or (0, 0)
    torch.manual_seed(100 + number) if step == 0 else None
    losses = []
    while step < steps:
        made = torch.Generator().manual_seed(step)
        rows = torch.randn(4, 8, generator=made)
        loss = (model(rows) - rows.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step, samples = step + 1, samples + 4
        state["epoch"] = step // 5
        losses.append(loss.item())
        checkpoint.save(step, samples, state)
        if number == world - 1 and step == steps - 1 and os.environ.get("ASK"):
            os.kill(os.getpid(), 15)
        checkpoint.stop_if_asked(step, samples, state)
    checkpoint.wait()
    told = {"step": step, "losses": losses, "epoch": state["epoch"], "draw": torch.rand(1).item()}
    Path(f"{result}.{number}").write_text(json.dumps(told))
    dist.destroy_process_group()


def wait_for(path: Path, seconds: float = 20.0) -> None:
    until = time.monotonic() + seconds
    while not path.exists():
        if time.monotonic() > until:
            raise TimeoutError(path)
        time.sleep(0.005)
