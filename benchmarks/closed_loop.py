"""Measure this machine, forecast eight small models on its processor, run them, and compare.

Prints one line for each model with the forecast before and after measuring, and the medians of the errors.
``OMP_NUM_THREADS`` decides how many cores take part. ``--skip`` uses the figures that the store holds already.
"""

import statistics
import sys

from outboard import api, measuring
from outboard.measuring import profile, recall
from outboard.measuring.step import run
from outboard.perf.estimate import estimate
from outboard.store import Store
from outboard.types.job import Job

JOBS = (
    Job(workload="timm:resnet18", batch_size=4, optimizer="momentum", image_size=160),
    Job(workload="timm:mobilenetv3_small_100", batch_size=8),
    Job(workload="timm:vit_tiny_patch16_224", batch_size=4),
    Job(workload="timm:resnet26", batch_size=4, image_size=128),
    Job(workload="torchvision:squeezenet1_1", batch_size=4, optimizer="sgd"),
    Job(workload="torchvision:alexnet", batch_size=8, optimizer="sgd"),
    Job(workload="timm:mixer_s32_224", batch_size=4),
    Job(workload="timm:convnext_atto", batch_size=2, optimizer="adamw"),
)


def main() -> None:
    store = Store()
    if "--skip" not in sys.argv:
        profile.measure(profile.plan("cpu", "--quick" in sys.argv), store, lambda *_: None, print)
    errors: dict[str, list[float]] = {"before": [], "after": []}
    for asked in JOBS:
        loop = asked.model_copy(update={"gradients_released": "before-forward", "input_copy": "resident"})
        job, trace = api.prepare(loop)
        times = {
            name: estimate(job, trace, measuring.place_here(store, name == "after")).step.seconds.value or 0.0
            for name in errors
        }
        ran = run(job)
        recall.keep(job, int(asked.batch_size), "cpu", ran, times["after"], store)
        for name, value in times.items():
            errors[name].append(value / ran.seconds - 1.0)
        shown = " ".join(f"{name} {times[name]:.3f} s ({errors[name][-1]:+.0%})" for name in errors)
        print(f"{asked.workload:32} measured {ran.seconds:.3f} s ({ran.low:.3f} to {ran.high:.3f}) {shown}", flush=True)
    for name, found in errors.items():
        print(f"median error {name}: {statistics.median(map(abs, found)):.0%}")


if __name__ == "__main__":
    main()
