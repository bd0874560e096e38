"""A training that survives any kill: python examples/resume/train.py --steps 200

The same script runs plain, and under ``outboard run``, which watches it, starts it again and moves it. Start it again
after Ctrl-C, kill -9 or a power cut: it goes on where the newest checkpoint is, with the same samples in the same order
and the same random numbers, so that the last loss is the same to the last digit.
"""

import argparse

import torch
from torch import nn
from torchdata.stateful_dataloader import StatefulDataLoader

import outboard


class Spirals(torch.utils.data.Dataset):
    """Points on two spirals with a little noise, which hardly any straight line tells apart."""

    def __init__(self, count: int = 1000) -> None:
        made = torch.Generator().manual_seed(0)
        self.kind = torch.arange(count) % 2
        angle = torch.rand(count, generator=made).sqrt() * 7
        noise = 0.1 * torch.randn(count, 2, generator=made)
        turned = angle + torch.pi * self.kind
        self.points = torch.stack([turned.cos(), turned.sin()], 1) * angle[:, None] / 4 + noise

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, index: int):
        return self.points[index], self.kind[index]


def main() -> None:
    asked = arguments()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, asked.steps)
    loader = StatefulDataLoader(Spirals(), batch_size=asked.batch, shuffle=True, drop_last=True)

    checkpoint = outboard.Checkpoint(asked.checkpoints, keep=2)
    state = {"model": model, "optimizer": optimizer, "schedule": schedule}
    step, samples = checkpoint.restore(state, loader) or (0, 0)
    loss = torch.tensor(float("nan"))
    while step < asked.steps:
        for points, kind in loader:
            loss = nn.functional.cross_entropy(model(points), kind)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            step, samples = step + 1, samples + len(kind)
            outboard.report(step=step, samples=samples, loss=loss, total=asked.steps)
            if step % asked.every == 0 or step == asked.steps:
                checkpoint.save(step, samples, state, loader)
            checkpoint.stop_if_asked(step, samples, state, loader)
            if step == asked.steps:
                break
    checkpoint.wait()
    print(f"step {step}, samples {samples}, loss {loss.item()!r}")


def arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--steps", type=int, default=300)
    reader.add_argument("--batch", type=int, default=32)
    reader.add_argument("--every", type=int, default=20, help="steps from one checkpoint to the next")
    reader.add_argument("--checkpoints", help="folder; default: the run's, else checkpoints")
    return reader.parse_args()


if __name__ == "__main__":
    main()
