"""The pipeline disk -> workers -> pinned memory -> link -> device in closed form.

Stages work on different batches at the same time, so that in its stride a pipeline is as fast as its slowest stage
(Little's law with queues that never run dry: PyTorch keeps ``workers * prefetch`` batches under way). Without workers
the loop itself loads, and nothing overlaps.
"""

from dataclasses import dataclass

import numpy as np

from outboard.perf.input.facts import fact
from outboard.perf.input.load import Load
from outboard.types.job import Job
from outboard.types.trace import FloatArray

STAGES = ("disk", "workers", "pin", "engine")
ENGINES = ("ampere-ga100", "hopper", "blackwell-gb100")  # architectures with JPEG engines beside the multiprocessors


@dataclass(frozen=True)
class InputTimes:
    """Seconds that each stage needs for one batch of each device, shape (P, B) [s]."""

    disk: FloatArray
    workers: FloatArray  # a batch every so often, all workers together
    pin: FloatArray
    alone: FloatArray  # one batch from the disk to the host's memory by one worker
    engine: FloatArray  # decoding by an engine of the device, beside the step
    device: FloatArray  # decoding on the units that compute the step, in place of it

    @property
    def period(self) -> FloatArray:
        """A batch every so often: the slowest stage."""
        return np.maximum(np.maximum(self.disk, self.workers), np.maximum(self.pin, self.engine))

    def slowest(self, place: int, batch: int) -> str:
        """The name of the slowest stage."""
        return max(STAGES, key=lambda name: float(getattr(self, name)[place, batch]))


def worker_count(job: Job, cores: FloatArray, devices: FloatArray) -> FloatArray:
    """Workers of one device that have a core to run on, shape (P,) [1]. One core is left to each loop."""
    free = np.maximum(cores / devices - 1.0, 1.0)
    return free if job.workers is None else np.minimum(float(max(job.workers, 1)), free)


def input_times(
    job: Job,
    sample: Load,
    batches: FloatArray,
    cores: FloatArray,
    disk: FloatArray,
    devices: FloatArray,
    engines: FloatArray,
) -> InputTimes:
    """Time of the stages for ``batches`` (B,), at places with ``cores``, ``disk`` [B/s], ``devices`` and ``engines``.

    Those have shape (P,); ``engines`` is 1 where the device decodes beside the step, else 0.
    """
    size, each = batches[None, :], np.ones((len(cores), 1))
    read = size * sample.stored * devices[:, None] / disk[:, None]
    processor = size * sample.processor * each
    beside = engines[:, None] > 0
    pixels = size * sample.on_device * each
    return InputTimes(
        disk=read,
        workers=processor / worker_count(job, cores, devices)[:, None],
        pin=size * sample.batched * each / fact("host.pin").value * float(job.pinned),
        alone=read / devices[:, None] + processor,
        engine=np.where(beside, pixels / fact("device.engine").value, 0.0),
        device=np.where(beside, 0.0, pixels / fact("device.decode").value),
    )


def exposed_input(job: Job, times: InputTimes, device_path: FloatArray) -> FloatArray:
    """What the step waits for its batch beyond ``device_path``, its time with all batches ready, shape (P, B) [s].

    With workers: what the slowest stage outlasts it by. Without: loading, reading included, comes before each step.
    """
    return times.alone if job.workers == 0 else np.maximum(times.period - device_path, 0.0)


def has_engine(architecture: str) -> bool:
    """Whether devices of this architecture decode JPEG beside the step."""
    return architecture.startswith(ENGINES)
