"""The time of one step: one trace replayed over arrays of places and batches."""

from dataclasses import dataclass

import numpy as np

from outboard.perf.time import coefficients, collectives, launch, offload, transfer
from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.columns import PHASE, Columns, columns
from outboard.perf.time.kernels import grouped_seconds
from outboard.perf.time.places import PlaceArrays
from outboard.types.estimate import Bottleneck
from outboard.types.job import Job
from outboard.types.trace import FloatArray, Trace

FORWARD, BACKWARD, OPTIMIZER = 0, 1, 2
PARTS = ("compute", "memory", "launch", "optimizer", "link", "collective")


@dataclass(frozen=True)
class StepReplay:
    """Seconds of one optimizer step, or of one inference batch, at P places for B batches, shape (P, B) each [s].

    The six parts sum to ``total``. An operator's time counts as compute or as memory by which of the two ceilings it
    hits; ``launch`` is what starting kernels adds to that; ``link`` and ``collective`` are what the step waits for.
    """

    compute: FloatArray
    memory: FloatArray
    launch: FloatArray
    optimizer: FloatArray
    link: FloatArray
    collective: FloatArray
    issue: FloatArray  # time the processor needs to issue the step's operators, hidden or not [s]
    copy: FloatArray  # time the input copies take, hidden or not [s]

    @property
    def resident(self) -> FloatArray:
        """The step with its input already on the device [s]."""
        return self.compute + self.memory + self.launch + self.optimizer + self.collective

    @property
    def total(self) -> FloatArray:
        """The whole step [s]."""
        return self.resident + self.link

    def bottleneck(self, place: int, batch: int) -> Bottleneck:
        """What bounds the step at one place and batch: the longest part; the optimizer is bound by memory."""
        at = {name: float(getattr(self, name)[place, batch]) for name in PARTS}
        if not all(np.isfinite(list(at.values()))):
            return "unknown"
        # A copy that outlasts the step it hides behind sets the pace, however little of it sticks out.
        if 0.0 < at["link"] < float(self.copy[place, batch]) * (1.0 - 1e-9):
            return "link"
        spans: dict[Bottleneck, float] = {
            "compute": at["compute"],
            "memory": at["memory"] + at["optimizer"],
            "launch": at["launch"],
            "link": at["link"],
            "collective": at["collective"],
        }
        if float(self.issue[place, batch]) > spans["compute"] + spans["memory"]:
            spans["launch"] = max(spans["launch"], float(self.issue[place, batch]))
        return max(spans, key=lambda name: spans[name])


def replay(
    job: Job, trace: Trace, batches: FloatArray, places: PlaceArrays, c: Coefficients | None = None
) -> StepReplay:
    """Replay ``trace`` at ``batches`` (samples per device and micro-step, shape (B,)) and at every place."""
    c = c or coefficients.load()
    batches = np.asarray(batches, dtype=np.float64)
    cols = columns(job, trace, batches)
    micro = float(job.grad_accumulation) if job.task != "infer" else 1.0
    # How often each group runs in one optimizer step: gradients accumulate over micro-steps, the optimizer runs once.
    repeats = np.array([micro, micro, 1.0])
    weights = phase_weights(cols) * repeats[:, None]
    on_device = [part[places.device] for part in grouped_seconds(cols, weights, places.devices, c)]
    compute, memory = on_device
    floor = launch.floor_seconds(cols, weights, c)
    issue = float((weights @ launch.issue_per_operator(cols, job.compiled, job.task != "infer", c)).sum())
    optimizer = compute[:, OPTIMIZER] + memory[:, OPTIMIZER] + floor[OPTIMIZER]
    if job.offload != "none":
        optimizer = np.zeros_like(optimizer)  # the host steps
    busy = compute[:, :OPTIMIZER].sum(axis=1) + memory[:, :OPTIMIZER].sum(axis=1) + floor[:OPTIMIZER].sum()
    waiting = launch.exposed(busy + optimizer, np.full_like(busy, issue))
    backward = (compute[:, BACKWARD] + memory[:, BACKWARD] + floor[BACKWARD]) / micro
    size = transfer.input_bytes(job, trace, batches)
    copy = micro * transfer.copy_seconds(size, len(trace.input_bytes.constant), places)
    partial = StepReplay(
        compute=compute[:, :OPTIMIZER].sum(axis=1),
        memory=memory[:, :OPTIMIZER].sum(axis=1),
        launch=floor[:OPTIMIZER].sum() + waiting + micro * c.step_overhead,
        optimizer=optimizer,
        link=np.zeros_like(copy),
        collective=_collective(job, trace, backward, places, c),
        issue=np.full_like(busy, issue),
        copy=copy,
    )
    waiting_for_host = offload.exposed_offload(job, trace, busy, backward, places, c)
    return _with_link(partial, transfer.exposed_copy(job, copy, partial.resident) + waiting_for_host)


def phase_weights(cols: Columns) -> FloatArray:
    """How often each row runs in the forward (with the loss), backward and optimizer phase, shape (3, R)."""
    last = (cols.phase == PHASE["backward"], cols.phase == PHASE["optimizer"])
    first = ~(last[0] | last[1])
    return np.array([first, *last], dtype=np.float64) * cols.count


def _collective(job: Job, trace: Trace, backward: FloatArray, places: PlaceArrays, c: Coefficients) -> FloatArray:
    """Exposed all-reduce, shape (P, B) [s]; inference exchanges nothing."""
    if job.task == "infer":
        return np.zeros_like(backward)
    size = collectives.gradient_bytes(trace)
    return collectives.exposed_all_reduce(collectives.all_reduce_seconds(size, places, c), backward, size, c)


def _with_link(step: StepReplay, link: FloatArray) -> StepReplay:
    return StepReplay(
        step.compute, step.memory, step.launch, step.optimizer, link, step.collective, step.issue, step.copy
    )
