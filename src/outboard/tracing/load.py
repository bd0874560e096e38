"""The door: from a job to its trace, whatever its workload is."""

from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING

from outboard.errors import JobError, MissingExtraError, UsageError
from outboard.i18n import _
from outboard.tracing import file, zoo
from outboard.tracing.optimizer import attach
from outboard.tracing.relabel import relabel, twin
from outboard.types.job import ADAPTATION, adaptation_of
from outboard.types.trace import Trace

if TYPE_CHECKING:
    from outboard.types.job import Job

LIVE_SOURCES = ("timm", "torchvision", "hf", "python", "builtin")
PLANNED_SOURCES = ("hours",)

# What a saved trace settles. A job that asks for something else in one of these contradicts it.
_SETTLED = ("task", "precision", "image_size", "seq_len", "memory_format", "attention", "grad_checkpointing")


def trace(job: "Job") -> Trace:
    """One step of ``job``, with its optimizer if it trains.

    The workload is a ``*.trace`` file, ``zoo:NAME``, or a model that torch can build (``timm:``, ``torchvision:``,
    ``hf:``, ``python:``, ``builtin:``). Raises a :class:`~outboard.errors.UsageError` that says what to do for whatever
    is wrong with the job, and :class:`~outboard.errors.MissingExtraError` where torch would be needed.
    """
    if job.task == "serve":
        raise JobError(
            _("task serve has no step to trace: use outboard estimate --task serve, outboard fit-llm or outboard plan")
        )
    if job.workload.endswith(file.SUFFIX):
        return _saved(job)
    source, separator, name = job.workload.partition(":")
    if not separator:
        raise _unknown_source(job.workload)
    if source == "zoo":
        bare = _from_zoo(job, zoo.find(name))
    elif source in LIVE_SOURCES:
        bare = _live(job)
    elif source == "gguf":
        raise JobError(_("a model file of llama.cpp is served and not trained: --task serve, or outboard fit-llm"))
    elif source in PLANNED_SOURCES:
        raise UsageError(
            _("workloads of {source}: cannot be traced yet; use {sources}").format(source=source, sources=_sources())
        )
    else:
        raise _unknown_source(job.workload)
    _refuse_sizes(job, bare)
    return _attached(bare.with_info(task=job.task), job)


def _refuse_sizes(job: "Job", bare: Trace) -> None:
    """A size that the model has not would be ignored in silence."""
    for name in ("image_size", "seq_len"):
        if getattr(job, name) is not None and getattr(bare.info, name) is None:
            message = _("{workload} takes no --{option}; leave it out")
            raise JobError(message.format(workload=job.workload, option=name.replace("_", "-")))


def _saved(job: "Job") -> Trace:
    """A trace file. Where the job says nothing, it takes what the file holds."""
    held = file.load_bare(job.workload)
    asked = {name: getattr(job, name) for name in _SETTLED if name in job.model_fields_set}
    if asked.get("precision") == twin(held.info.precision):
        held = relabel(held, asked["precision"])
    if asked.get("task") == "finetune" and held.info.task == "train":
        held = held.with_info(task="finetune")
    holds = {name: getattr(held.info, name) for name in _SETTLED} | adaptation_of(held.info)
    asked |= {name: getattr(job, name) for name in ADAPTATION if name in job.model_fields_set}
    for name, value in asked.items():
        if value is not None and value != holds[name]:
            raise JobError(
                _("{file} holds {name} {held}, not {value}; it cannot be changed, so trace the workload again").format(
                    file=job.workload, name=name.replace("_", "-"), held=holds[name], value=value
                )
            )
    return _attached(held, job)


def _attached(bare: Trace, job: "Job") -> Trace:
    """With the job's optimizer if it names one, else with that of the saved file or of the person's own code."""
    stated = "optimizer" in job.model_fields_set or not bare.info.optimizer
    return attach(bare, job.optimizer if stated else bare.info.optimizer)


def _from_zoo(job: "Job", entry: zoo.Entry) -> Trace:
    """A trace that ships, or one relabelled from it, or else one made now.

    Where a model's own fine-tuning does not ship, all of it is fine-tuned as it is trained.
    """
    shipped_kind = job.method == "full" and not job.padded
    tasks = (job.task, "train") if job.task == "finetune" else (job.task,)
    for task, precision in product(tasks, (job.precision, twin(job.precision) or job.precision)):
        path = entry.path(entry.variant(**(job.model_dump() | {"task": task, "precision": precision})))
        if shipped_kind and path.is_file():
            return _with_what_is_asked(job, entry, relabel(file.load_bare(path), job.precision))
    variant = entry.variant(**job.model_dump())
    try:
        return _trace_live(job.model_copy(update=variant.job_fields() | {"workload": entry.workload}))
    except MissingExtraError as error:
        shipped = ", ".join(one.stem for one in entry.shipped()) or _("nothing")
        raise MissingExtraError(
            "torch",
            "models",
            _("zoo:{name} as {variant} does not ship (shipped: {shipped}); tracing it").format(
                name=entry.name, variant=variant.stem, shipped=shipped
            ),
        ) from error


def _with_what_is_asked(job: "Job", entry: zoo.Entry, shipped: Trace) -> Trace:
    """Traces that ship hold neither lives after compilation nor the peak of evaluation: made now, where torch is."""
    if job.task == "infer" or not (job.compiled or job.evaluate_every is not None):
        return shipped
    with suppress(MissingExtraError):
        return _trace_live(
            job.model_copy(update=entry.variant(**job.model_dump()).job_fields() | {"workload": entry.workload})
        )
    return shipped


def _trace_live(job: "Job") -> Trace:
    # Imported on use: recording and merging are a tenth of the start, and a trace that ships needs neither.
    from outboard.tracing.live import trace_live

    return trace_live(job)


def _live(job: "Job") -> Trace:
    try:
        return _trace_live(job)
    except MissingExtraError as error:
        same = [entry for entry in zoo.entries() if entry.workload == job.workload]
        if not same:
            raise
        raise UsageError(_("{error}; or use zoo:{name}, which ships").format(error=error, name=same[0].name)) from error


def _sources() -> str:
    return ", ".join([_("FILE.trace"), "zoo:", *(f"{source}:" for source in LIVE_SOURCES)])


def _unknown_source(workload: str) -> UsageError:
    message = _("workload '{workload}' names no known source; write one of {sources} before the model").format(
        workload=workload, sources=_sources()
    )
    name = workload.rpartition(":")[2]
    with suppress(UsageError):
        message += "; " + _("perhaps {name}").format(name=f"zoo:{zoo.find(name).name}")
    return UsageError(message)
