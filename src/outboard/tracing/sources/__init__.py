"""Where models come from: one file per source. ``build`` turns a job into a model without weights and its batches."""

from importlib import import_module

from outboard.errors import MissingExtraError, UnknownNameError
from outboard.i18n import _
from outboard.tracing.sources.base import Batch, Built, nearest
from outboard.types.job import Job

__all__ = ["SOURCES", "Batch", "Built", "build", "split"]

# Prefix of a workload -> module with ``build(name, job) -> Built``. Imported on use: each needs its own library.
SOURCES = {
    "timm": "timm_source",
    "torchvision": "torchvision_source",
    "hf": "hf_source",
    "python": "python_source",
    "builtin": "builtin_source",
}


def build(job: Job) -> Built:
    """The model of ``job``, without weights."""
    source, name = split(job.workload)
    require_torch()
    return import_module(f"{__name__}.{SOURCES[source]}").build(name, job)


def split(workload: str) -> tuple[str, str]:
    """Source and name of a workload that torch can trace."""
    source, separator, name = workload.partition(":")
    if not separator or source not in SOURCES or not name:
        raise UnknownNameError(
            _("workload"),
            workload,
            [f"{near}:{name or source}" for near in nearest(source, SOURCES)],
            _("a traced workload starts with one of: {names}").format(names=", ".join(f"{s}:" for s in SOURCES)),
        )
    return source, name


def require_torch() -> None:
    """Fail in one line where torch is not installed."""
    try:
        import_module("torch")
    except ImportError as error:
        raise MissingExtraError("torch", "models", _("tracing a model")) from error
