"""One job at one place: memory and step put together into a verdict."""

import math

from outboard.i18n import _
from outboard.perf import precision
from outboard.perf.auto_batch import choose
from outboard.perf.input.terms import cores, disk
from outboard.perf.input.transfer import stored_bytes
from outboard.perf.memory import memory_estimate, safe_max_batch, verdict
from outboard.perf.time import step_estimate
from outboard.types.estimate import Estimate, Verdict
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace
from outboard.units import format_si


def estimate(job: Job, trace: Trace, place: Place) -> Estimate:
    """Forecast ``job``, recorded as ``trace``, at ``place``. The batch is per device; "auto" is chosen here."""
    safe_max = safe_max_batch(job, trace, [place])
    batch = int(choose(job, trace, [place], safe_max)[0])
    return at_batch(job, trace, place, batch, int(safe_max[0]))


def at_batch(job: Job, trace: Trace, place: Place, batch: int, safe_max: int) -> Estimate:
    """The forecast at a batch already chosen, with the largest safe batch already known."""
    memory = memory_estimate(job, trace, batch, place)
    step = step_estimate(job, trace, batch, place)
    return Estimate(
        workload=trace.info.workload,
        task=job.task,
        precision=job.precision,
        place=place.name,
        verdict=_combined(verdict(memory.required, memory.available), step.seconds.value),
        batch=batch,
        safe_max_batch=safe_max,
        memory=memory,
        step=step,
        evidence=max(memory.required.evidence, step.seconds.evidence),
        warnings=_warnings(job, trace, place, batch),
        assumptions=_assumptions(job, place),
    )


def _combined(fit: Verdict, seconds: float | None) -> Verdict:
    """A job whose speed cannot be forecast is unknown, unless it is plain that it does not fit."""
    return "unknown" if seconds is None and fit != "does_not_fit" else fit


def _warnings(job: Job, trace: Trace, place: Place, batch: int) -> tuple[str, ...]:
    said = [*precision.warnings(place.device, job.precision), *trace.info.warnings]
    if trace.not_affine and batch > max(trace.info.traced_batches):
        said.append(
            _(
                "the cost of {operators} does not grow in proportion to the batch; at batch {batch} it is extrapolated"
            ).format(operators=", ".join(trace.not_affine[:3]), batch=batch)
        )
    if place.count > 1 and job.parallel not in ("ddp", "dp"):
        said.append(
            _("{way} is forecast in time only: the memory shown is that of a whole model on each device").format(
                way=job.parallel
            )
        )
    return tuple(said)


def _assumptions(job: Job, place: Place) -> tuple[str, ...]:
    """What was taken for granted because nobody said otherwise."""
    taken: list[str] = []
    if job.batch_size == "auto":
        taken.append(_("batch chosen: the smallest that is within 3 % of the best rate"))
    if place.link_assumed:
        taken.append(_("link: the card's own slot, {link}").format(link=place.link.id))
    if job.input_copy == "serial":
        taken.append(_("the input batch is copied before each step, not during the last one"))
    taken += _of_the_input(job, place)
    if job.task != "infer" and job.grad_accumulation == 1 and "gradients_released" not in job.model_fields_set:
        taken.append(_("gradients of the last step are never released, and backward adds to them"))
    if job.precision == "fp32" and "tf32" in place.device.matmul:
        taken.append(_("fp32 as PyTorch does it by default: convolutions may use TF32, matrix products do not"))
    return tuple(taken)


def _of_the_input(job: Job, place: Place) -> list[str]:
    if job.input_kind == "ready" or job.input_copy == "resident":
        return []
    taken: list[str] = []
    if place.host.cores is None:
        taken.append(_("cores of the host: {cores:.0f} (--cores)").format(cores=cores(place).value))
    if place.host.disk is None:
        taken.append(_("disk of the host: {rate} (--disk)").format(rate=format_si(disk(place).value, "B/s")))
    if job.workers is None:
        taken.append(_("as many workers as have a core; PyTorch's own default is none, so that the loop itself loads"))
    if job.sample_bytes is None and math.isfinite(stored := stored_bytes(job)):
        taken.append(_("stored size of a sample: {size} (--sample-bytes)").format(size=format_si(stored, "B")))
    return taken
