"""The time of one step: one trace replayed over arrays of places and batches."""

from dataclasses import dataclass, replace

import numpy as np

from outboard.perf.collectives.exchange import Passes, Ring, exchange_seconds, optimizer_share, work_share
from outboard.perf.input import pauses, pipeline, transfer
from outboard.perf.input.load import load
from outboard.perf.time import coefficients, launch, offload
from outboard.perf.time.coefficients import Coefficients
from outboard.perf.time.columns import PHASE, Columns, columns
from outboard.perf.time.kernels import grouped_seconds
from outboard.perf.time.places import PlaceArrays
from outboard.types.estimate import Bottleneck
from outboard.types.job import Job
from outboard.types.trace import CATEGORIES, FloatArray, Trace

FORWARD, BACKWARD, OPTIMIZER = 0, 1, 2
PARTS = ("compute", "memory", "launch", "optimizer", "link", "input", "collective", "pauses")


@dataclass(frozen=True)
class StepReplay:
    """Seconds of one optimizer step, or of one inference batch, at P places for B batches, shape (P, B) each [s].

    The parts sum to ``total``. An operator's time counts as compute or as memory by which of the two ceilings it
    hits; ``launch`` is what starting kernels adds to that; ``link``, ``input`` and ``collective`` are what the step
    waits for: copies, the host's pipeline, the exchange between devices. ``pauses`` are synchronisations, checkpoints
    and evaluations.
    """

    compute: FloatArray
    memory: FloatArray
    launch: FloatArray
    optimizer: FloatArray
    collective: FloatArray
    issue: FloatArray  # time the processor needs to issue the step's operators, hidden or not [s]
    copy: FloatArray  # time the input copies take, hidden or not [s]
    feed: FloatArray  # time between two batches of the host's pipeline, hidden or not [s]
    link: FloatArray
    input: FloatArray
    pauses: FloatArray
    without_link: FloatArray  # the whole step if copies took no time [s]

    @property
    def resident(self) -> FloatArray:
        """The step with its input already on the device [s]."""
        return self.compute + self.memory + self.launch + self.optimizer + self.collective

    @property
    def total(self) -> FloatArray:
        """The whole step [s]."""
        return self.resident + self.link + self.input + self.pauses

    def bottleneck(self, place: int, batch: int) -> Bottleneck:
        """What bounds the step at one place and batch: the longest part; the optimizer is bound by memory."""
        at = {name: float(getattr(self, name)[place, batch]) for name in PARTS}
        if not all(np.isfinite(list(at.values()))):
            return "unknown"
        # A copy or a pipeline that outlasts the step it hides behind sets the pace, however little of it sticks out.
        if 0.0 < at["input"] < float(self.feed[place, batch]) * (1.0 - 1e-9):
            return "input"
        if 0.0 < at["link"] < float(self.copy[place, batch]) * (1.0 - 1e-9):
            return "link"
        spans: dict[Bottleneck, float] = {
            "compute": at["compute"],
            "memory": at["memory"] + at["optimizer"],
            "launch": at["launch"],
            "link": at["link"],
            "input": at["input"],
            "collective": at["collective"],
            "pauses": at["pauses"],
        }
        # Operators are issued while the device works or exchanges; only what outlasts both holds the step up.
        if float(self.issue[place, batch]) > spans["compute"] + spans["memory"] + spans["collective"]:
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
    shared = work_share(job, places.count)[:, None]
    alone = _Resident(
        compute=shared * compute[:, :OPTIMIZER].sum(axis=1),
        memory=shared * memory[:, :OPTIMIZER].sum(axis=1),
        launch=floor[:OPTIMIZER].sum() + waiting + micro * c.step_overhead,
        optimizer=optimizer_share(job, places.count)[:, None] * optimizer,
        collective=np.zeros_like(busy),
        issue=np.full_like(busy, issue),
        forward=shared * (compute[:, FORWARD] + memory[:, FORWARD] + floor[FORWARD]) / micro,
        backward=shared * (compute[:, BACKWARD] + memory[:, BACKWARD] + floor[BACKWARD]) / micro,
    )
    resident = _exchanging(job, trace, batches, places, _as_measured(alone, places, micro * batches))
    return _fed(job, trace, batches, places, resident, micro, c)


def phase_weights(cols: Columns) -> FloatArray:
    """How often each row runs in the forward (with the loss), backward and optimizer phase, shape (3, R)."""
    last = (cols.phase == PHASE["backward"], cols.phase == PHASE["optimizer"])
    first = ~(last[0] | last[1])
    return np.array([first, *last], dtype=np.float64) * cols.count


@dataclass(frozen=True)
class _Resident:
    """The step with its input on the device, shape (P, B) each [s]."""

    compute: FloatArray
    memory: FloatArray
    launch: FloatArray
    optimizer: FloatArray
    collective: FloatArray
    issue: FloatArray
    forward: FloatArray  # of one micro-step, without what the processor's issue rate adds
    backward: FloatArray  # likewise

    @property
    def total(self) -> FloatArray:
        """All of it."""
        return self.compute + self.memory + self.launch + self.optimizer + self.collective


def _exchanging(job: Job, trace: Trace, batches: FloatArray, places: PlaceArrays, alone: _Resident) -> _Resident:
    """Add what the devices of a place wait for each other."""
    ring = Ring(places.count, places.exchange_bandwidth, places.exchange_step, places.machines)
    passes = Passes(alone.forward, alone.backward, alone.total)
    return replace(alone, collective=exchange_seconds(job, trace, batches, ring, passes))


def _as_measured(on: _Resident, places: PlaceArrays, samples: FloatArray) -> _Resident:
    """Scale the device's own work to what was measured on it, where somebody did."""
    factor = np.where(np.isnan(places.measured)[:, None], 1.0, samples[None, :] / places.measured[:, None] / on.total)
    work = ("compute", "memory", "launch", "optimizer", "forward", "backward")
    return replace(on, **{name: getattr(on, name) * factor for name in work})


def _fed(
    job: Job, trace: Trace, batches: FloatArray, places: PlaceArrays, on: _Resident, micro: float, c: Coefficients
) -> StepReplay:
    """Add what the step waits for beside its own work: copies, the host's pipeline, pauses of the loop."""
    rate = places.link_h2d if job.pinned else transfer.pageable_rate(places.link_h2d, places.tunnelled)
    size = transfer.input_bytes(job, trace, batches)
    copy = micro * transfer.copy_seconds(size, len(trace.input_bytes.constant), rate, places.link_latency)
    resident = on.total
    link = transfer.exposed_copy(job, copy, resident)
    link = link + offload.exposed_offload(job, trace, micro * (on.forward + on.backward), on.backward, places, c)
    feed, waiting, ideal = _pipeline(job, trace, batches, places, resident, link, micro)
    paused = _pauses(job, trace, places, on, copy / micro, c)
    return StepReplay(
        compute=on.compute,
        memory=on.memory,
        launch=on.launch,
        optimizer=on.optimizer,
        collective=on.collective,
        issue=on.issue,
        copy=copy,
        feed=feed,
        link=link,
        input=waiting,
        pauses=paused,
        without_link=resident + ideal + paused,
    )


def _pipeline(
    job: Job,
    trace: Trace,
    batches: FloatArray,
    places: PlaceArrays,
    resident: FloatArray,
    link: FloatArray,
    micro: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Period of the host's pipeline, what the step waits for it, and what it would wait with an infinite link [s]."""
    sample = load(job, trace)
    if sample is None:
        none = np.zeros_like(resident)
        return none, none, none
    times = pipeline.input_times(job, sample, micro * batches, places.cores, places.disk, places.count, places.engines)
    feed = times.alone if job.workers == 0 else times.period
    here, ideal = (
        times.device + pipeline.exposed_input(job, times, path + times.device) for path in (resident + link, resident)
    )
    return feed, here, ideal


def _pauses(
    job: Job, trace: Trace, places: PlaceArrays, on: _Resident, copy: FloatArray, c: Coefficients
) -> FloatArray:
    """Synchronisations, checkpoints and evaluations of one optimizer step, shape (P, B) [s]."""
    syncs = pauses.sync_seconds(job, places.link_latency, c.issue_eager)
    saved = pauses.checkpoint_seconds(job, checkpoint_bytes(trace), places.link_d2h, places.disk)
    return (syncs + saved)[:, None] + pauses.evaluation_seconds(job, on.forward + copy)


def checkpoint_bytes(trace: Trace) -> float:
    """Weights and optimizer states, which a checkpoint holds [B]."""
    table = trace.tensors
    kept = np.isin(table.category, [CATEGORIES.index("weights"), CATEGORIES.index("optimizer")])
    return float(table.size.constant[kept].sum())
