"""Bytes alive during a step, against what torch's own allocator saw in a real one on the CPU."""

import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402, N812
from torch import nn  # noqa: E402

from outboard.tracing.raw import RawStep  # noqa: E402
from outboard.tracing.recorder import record_built  # noqa: E402
from outboard.tracing.recorder.cuda import as_on_cuda  # noqa: E402
from outboard.tracing.recorder.quiet import quiet  # noqa: E402
from outboard.tracing.sources.base import Batch, Built  # noqa: E402
from outboard.types.job import Job  # noqa: E402


class Convolutions(nn.Module):
    """Residual, with everything that shares or overwrites storages."""

    def __init__(self) -> None:
        super().__init__()
        self.enter, self.norm1 = nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.again, self.norm2 = nn.Conv2d(16, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16)
        self.dropout, self.leave = nn.Dropout(0.2), nn.Linear(16, 10)

    def forward(self, x):
        x = F.relu(self.norm1(self.enter(x)), inplace=True)
        for _ in range(3):
            x = x + F.relu(self.norm2(self.again(x)))
        return self.leave(self.dropout(F.max_pool2d(x, 2).mean((2, 3))))


class Transformer(nn.Module):
    """Three layers with tied embeddings."""

    def __init__(self) -> None:
        super().__init__()
        self.enter, self.leave = nn.Embedding(100, 64), nn.Linear(64, 100)
        self.leave.weight = self.enter.weight
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, activation="gelu") for _ in range(3)
        )

    def forward(self, x):
        x = self.enter(x)
        for layer in self.layers:
            x = layer(x)
        return self.leave(x).flatten(0, 1)


def images(batch: int) -> Batch:
    return Batch((torch.zeros(batch, 3, 32, 32),), {}, torch.zeros(batch, dtype=torch.int64))


def tokens(batch: int) -> Batch:
    ids = torch.zeros(batch, 50, dtype=torch.int64)
    return Batch((ids,), {}, ids.flatten())


def recorded_peak(step: RawStep) -> float:
    """Peak of what the step allocates, without what was there before it."""
    made = [tensor for tensor in step.tensors if tensor.birth >= 0]
    return max(sum(t.size for t in made if t.birth <= at < t.death) for at in range(len(step.operators)))


def real_peak(model: nn.Module, batch: Batch) -> float:
    def step() -> object:
        output = model(*batch.args)
        loss = F.cross_entropy(output, batch.targets)
        loss.backward()
        return output, loss

    step()
    model.zero_grad(set_to_none=True)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        kept = step()
    assert kept
    moves: list[tuple[int, int]] = []
    waiting = list(profile.profiler.kineto_results.experimental_event_tree())
    while waiting:
        event = waiting.pop()
        waiting += event.children
        if str(event.tag).endswith("Allocation"):
            moves.append((event.start_time_ns, event.extra_fields.alloc_size))
    live = peak = 0
    for _time, size in sorted(moves, key=lambda move: move[0]):
        live += size
        peak = max(peak, live)
    return peak


@pytest.mark.parametrize(
    ("make", "batches", "tolerance"),
    # oneDNN's own buffers, which CUDA does not have, are the difference of the first.
    [(Convolutions, images, 0.02), (Transformer, tokens, 0.001)],
)
def test_peak_is_the_allocators(make, batches, tolerance: float) -> None:
    job = Job(workload="test:model", attention="eager")
    built = Built(make(), batches, lambda output, targets: F.cross_entropy(output, targets), "samples")
    step = record_built(built, job, [64])[0]
    with quiet(), as_on_cuda(job):
        wanted = real_peak(make(), batches(64))
    assert recorded_peak(step) == pytest.approx(wanted, rel=tolerance)
