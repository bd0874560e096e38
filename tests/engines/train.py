"""A small real model trained to its end, as somebody's own script would be: it saves, and reads what it is told.

A two-layer perceptron on the two moons, by SGD with momentum; exactly the same result whatever interrupts it.
"""

import hashlib
import json
import math
import os
import random
import signal
import sys
import time
import zipfile
from pathlib import Path

TOTAL = int(os.environ.get("TOTAL", "20"))  # steps
EACH = float(os.environ.get("EACH", "0.02"))  # seconds a step takes at least
EVERY = int(os.environ.get("EVERY", "5"))  # steps between checkpoints
BATCH, HIDDEN, DATA = 4, 6, 64
FOLDER = Path(os.environ.get("OUTBOARD_CHECKPOINT_DIR", "checkpoints"))


def moons() -> "list[tuple[float, float, float]]":
    """The data."""
    draw = random.Random(0)
    found = []
    for number in range(DATA):
        angle, label = math.pi * draw.random(), float(number % 2)
        x, y = math.cos(angle), math.sin(angle)
        found.append((1 - x, 0.5 - y, 1.0) if label else (x, y, 0.0))
    return found


def order(epoch: int) -> "list[int]":
    """The order of one epoch."""
    found = list(range(DATA))
    random.Random(epoch).shuffle(found)
    return found


def fresh() -> dict:
    """Where training begins."""
    draw = random.Random(1)
    first = [[draw.gauss(0, 1) for _ in range(3)] for _ in range(HIDDEN)]
    second = [draw.gauss(0, 1) for _ in range(HIDDEN + 1)]
    still = {"first": [[0.0] * 3 for _ in range(HIDDEN)], "second": [0.0] * (HIDDEN + 1)}
    return {"step": 0, "samples": 0, "seen": "", "first": first, "second": second, "momentum": still, "loss": 0.0}


def train(state: dict, data: list) -> None:
    """One step."""
    epoch, within = divmod(state["samples"], DATA)
    batch = order(epoch)[within : within + BATCH]
    g1 = [[0.0] * 3 for _ in range(HIDDEN)]
    g2 = [0.0] * (HIDDEN + 1)
    loss = 0.0
    for index in batch:
        x, y, label = data[index]
        hidden = [math.tanh(w[0] * x + w[1] * y + w[2]) for w in state["first"]]
        out = sum(w * h for w, h in zip(state["second"], [*hidden, 1.0]))  # noqa: B905
        chance = 1 / (1 + math.exp(-out))
        loss -= math.log(max(chance if label else 1 - chance, 1e-12)) / BATCH
        error = (chance - label) / BATCH
        for i, h in enumerate([*hidden, 1.0]):
            g2[i] += error * h
        for i, h in enumerate(hidden):
            back = error * state["second"][i] * (1 - h * h)
            for j, value in enumerate((x, y, 1.0)):
                g1[i][j] += back * value
    m1, m2 = state["momentum"]["first"], state["momentum"]["second"]
    for i in range(HIDDEN + 1):
        m2[i] = 0.9 * m2[i] + g2[i]
        state["second"][i] -= 0.1 * m2[i]
    for i in range(HIDDEN):
        for j in range(3):
            m1[i][j] = 0.9 * m1[i][j] + g1[i][j]
            state["first"][i][j] -= 0.1 * m1[i][j]
    state["loss"] = loss
    state["step"] += 1
    state["samples"] += len(batch)
    state["seen"] = hashlib.sha256(f"{state['seen']} {batch}".encode()).hexdigest()[:16]


def save(state: dict) -> None:
    """Write, fsync, rename: never in place."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    name = FOLDER / f"step-{state['step']:08d}.pt"
    beside = FOLDER / f".{name.name}.new"
    with beside.open("wb") as file:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("state.json", json.dumps(state))
        file.flush()
        os.fsync(file.fileno())
    beside.replace(name)


def load() -> dict:
    """The checkpoint that Outboard says is good, else none."""
    path = os.environ.get("OUTBOARD_RESUME_FROM")
    if not path:
        return fresh()
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("state.json"))


def once(name: str) -> bool:
    """Whether a fault is asked for that has not happened yet."""
    if name not in os.environ.get("FAULTS", "").split(","):
        return False
    try:
        os.close(os.open(f"fault-{name}", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def main() -> int:
    """Train."""
    state, data, asked = load(), moons(), []
    for number in (signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, lambda number, frame: asked.append(number))
    print(f"begins at step {state['step']}, {len(os.environ.get('TOKEN', ''))} characters of a secret", flush=True)
    report = os.environ.get("OUTBOARD_PROGRESS_FILE")
    while state["step"] < TOTAL:
        time.sleep(EACH)
        train(state, data)
        if report:
            with Path(report).open("a") as file:
                said = {"time": time.time(), "step": state["step"], "samples": state["samples"], "loss": state["loss"]}
                file.write(json.dumps(said) + "\n")
        if state["step"] % EVERY == 0 or asked:
            save(state)
        if asked:
            return 85
        faults(state)
    results = Path("results")
    results.mkdir(exist_ok=True)
    (results / "final.json").write_text(json.dumps({name: state[name] for name in ("samples", "loss", "seen")}))
    return 0


def faults(state: dict) -> None:
    """What the test wants to go wrong here."""
    if state["step"] == 8 and once("cuda"):
        raise RuntimeError("CUDA error: unspecified launch failure")
    if state["step"] == 8 and once("kill"):
        os.kill(os.getpid(), signal.SIGKILL)
    if state["step"] == 8 and once("torn"):
        (FOLDER / "step-00000099.pt").write_bytes(b"PK\x03\x04 torn")
        os.kill(os.getpid(), signal.SIGKILL)
    if state["step"] == 8 and once("hang"):
        time.sleep(3600)
    if state["step"] == 8 and "always" in os.environ.get("FAULTS", ""):
        raise ValueError("something is wrong")


if __name__ == "__main__":
    sys.exit(main())
