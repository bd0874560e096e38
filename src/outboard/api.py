"""What ``import outboard as ob`` offers: from a job to a trace, from a trace to forecasts."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from outboard.complaint import complaint
from outboard.errors import JobError
from outboard.i18n import _
from outboard.types.estimate import Estimate
from outboard.types.hardware import Place
from outboard.types.job import ADAPTATION, Job, adaptation_of
from outboard.types.trace import Trace

if TYPE_CHECKING:
    from outboard.planner.answer import Answer

# What a trace already settles; the rest of a job may still change when the trace is replayed.
SETTLED = (
    "task",
    "precision",
    "optimizer",
    "image_size",
    "seq_len",
    "memory_format",
    "attention",
    "grad_checkpointing",
)


def trace(job: Job) -> Trace:
    """Record one step of ``job``: operators and tensors, affine in the batch. Needs no GPU and no weights."""
    from outboard import tracing

    recorded = tracing.trace(job)
    return recorded.with_info(asked=job.model_dump(exclude_unset=True, exclude={"workload", *SETTLED, *ADAPTATION}))


def load_trace(path: str | Path) -> Trace:
    """Read a trace that :func:`save_trace` or ``outboard trace`` wrote."""
    from outboard.tracing import file

    return file.load(path)


def save_trace(recorded: Trace, path: str | Path) -> None:
    """Write a trace, whole or not at all."""
    from outboard.tracing import file

    file.save(recorded, path)


def estimate(
    what: Job | Trace | str, place: Place | str, *, job: Job | None = None, ram: float | None = None, **options: Any
) -> Estimate:
    """Forecast memory and step time at one place, with what would make the job fit where it does not.

    ``what`` is a job, a trace, or the text of a workload or of a trace file; ``options`` are fields of :class:`Job`
    that change or complete it. ``place`` is written ``GPU[xN][@LINK]``. A ``job`` beside a trace replaces what the
    trace says of itself. ``ram`` is the memory of the host [B], where it is known.
    """
    from outboard import measuring
    from outboard.perf.estimate import estimate as forecast
    from outboard.perf.memory import verdict

    where = find_place(place)
    asked, recorded = prepare(what, job, **options)
    result = forecast(asked, recorded, where, ram)
    result = measuring.with_recalled(result, asked, where)
    if verdict(result.memory.required, result.memory.available) == "fits":
        return result
    from outboard import tracing
    from outboard.planner import with_levers

    return with_levers(result, asked, recorded, where, retrace=tracing.trace, others=every_place)


def compare(
    what: Job | Trace | str, places: Iterable[Place | str] | None = None, *, job: Job | None = None, **options: Any
) -> list[Estimate]:
    """Forecast the same job at several places, best first; without ``places``, on every device of our own tables."""
    from outboard.perf.sweep import sweep

    wanted = every_place() if places is None else [find_place(place) for place in places]
    asked, recorded = prepare(what, job, **options)
    return sorted(sweep(asked, recorded, wanted), key=rank)


def plan(
    jobs: str | Path | Iterable[str | Path], situation: str | Path | None = None, *, goal: str | None = None
) -> "Answer":
    """Where to run the jobs of one or several ``job.yaml``, for a person as ``me.yaml`` describes them.

    The answer holds one :class:`~outboard.types.plan.Plan` for each job in ``plans``, and in ``portfolio`` the best
    combination. Without a situation nothing is known of the person. Raises :class:`FileError` for a wrong file.
    """
    from outboard.planner.answer import answer

    return answer([jobs] if isinstance(jobs, str | Path) else list(jobs), situation, goal)


def prepare(what: Job | Trace | str, job: Job | None = None, **options: Any) -> tuple[Job, Trace]:
    """The job in full, and its trace."""
    if isinstance(what, Trace):
        return (job if job is not None else _job_of(what, options)), what
    stated = {"workload": what} if isinstance(what, str) else what.model_dump(exclude_unset=True)
    asked = make_job(**{**stated, **options})
    recorded = trace(asked)
    # A trace that was loaded settles what the job left open; the workload stays as written, to be recorded again.
    return asked.model_copy(update=_settled(recorded)), recorded


def make_job(**fields: Any) -> Job:
    """A job from its fields; the first that is wrong becomes one clear line."""
    try:
        return Job(**fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"][:1])
        message = _("{field}: {problem}, not {value!r}")
        raise JobError(message.format(field=where, problem=complaint(first), value=first["input"])) from error


def _job_of(recorded: Trace, options: dict[str, Any]) -> Job:
    settled = _settled(recorded)
    for name, value in options.items():
        if name in settled and value != settled[name]:
            message = _("the trace was made with {name} {traced}, not {value}; trace the workload again with {value}")
            raise JobError(message.format(name=name.replace("_", "-"), traced=settled[name], value=value))
    return make_job(**{"workload": recorded.info.workload, **recorded.info.asked, **settled, **options})


def _settled(recorded: Trace) -> dict[str, Any]:
    return {name: getattr(recorded.info, name) for name in SETTLED} | adaptation_of(recorded.info)


def find_place(place: Place | str) -> Place:
    """The place itself, or the one that a text names."""
    if isinstance(place, Place):
        return place
    from outboard import catalog, measuring

    return measuring.place_here() if measuring.is_here(place) else catalog.place(place)


def every_place() -> list[Place]:
    """Each device of our own tables on the link it usually hangs on."""
    from outboard import catalog

    return [
        catalog.place(f"{device.id}@{catalog.usual_link(device).id}")
        for device in catalog.devices()
        if device.vendor != "cpu"
    ]


def rank(estimate: Estimate) -> tuple[int, float]:
    """Where it fits before where it does not, fast before slow."""
    order = {"fits": 0, "tight": 1, "unknown": 2, "does_not_fit": 3}
    return order[estimate.verdict], -(estimate.step.throughput.value or 0.0)
