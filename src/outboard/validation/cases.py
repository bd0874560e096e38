"""From a measured row to the job and the place that it was measured with, or the reason why there are none."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args

from outboard import catalog
from outboard.errors import UsageError
from outboard.i18n import _
from outboard.types.estimate import Term
from outboard.types.hardware import Place
from outboard.types.job import Attention, Job, Method, Optimizer, Parallel, Precision, Task
from outboard.validation.columns import ATTENTIONS, COMPILED, OPTIONAL
from outboard.validation.families import family
from outboard.validation.measurement import Measurement
from outboard.validation.quantities import quantity_name
from outboard.validation.serving import NotServedError, served
from outboard.validation.settings import settled
from outboard.validation.workloads import resolve

METHODS = get_args(Method)
NO_OPTIMIZER = "none"
RATES = ("prefill_rate", "decode_rate")  # of a language model that is served, whatever task a table names


@dataclass(frozen=True)
class Case:
    """A measurement with what is needed to forecast it. ``reason``: why there is neither a job nor a term."""

    measurement: Measurement
    labels: dict[str, str]  # what rows are grouped by: see groups.BY
    job: Job | None = None
    place: Place | None = None
    updates: bool = True  # False: the optimizer was not part of what was timed
    memory_kind: str = "allocated"
    term: Term | None = None  # the forecast itself, where it needs no trace: of a language model that is served
    origin: str = ""  # where the configuration comes from when the table only names a model
    reason: str = ""


class CannotCoverError(Exception):
    """Why a row is not covered; never leaves this package."""


def prepare(rows: Iterable[Measurement]) -> list[Case]:
    """A case for each row, in their order. Nothing is traced yet."""
    return [prepared(row) for row in rows]


def prepared(row: Measurement) -> Case:
    """The case of one row."""
    columns = settled(row)
    labels = _labels(row)
    try:
        place = _find_place(columns["gpu"], int(columns["num_gpus"]), columns["link"])
        if columns["task"] == "serve" or row.quantity in RATES:
            return Case(row, labels, None, place, term=served(row, columns, place))
        _refuse(row, columns)
        resolved = resolve(columns["workload"])
        if resolved.routed:
            raise CannotCoverError(_("its experts are chosen by values, and a trace computes none"))
        job = Job(workload=resolved.workload, **_fields(row, columns, place.count))
    except (CannotCoverError, NotServedError, UsageError) as problem:
        return Case(row, labels, reason=str(problem))
    return Case(
        row,
        labels,
        job,
        place,
        updates=columns["optimizer"].lower() != NO_OPTIMIZER,
        memory_kind=columns["memory_kind"],
        origin=resolved.origin,
    )


def _labels(row: Measurement) -> dict[str, str]:
    """What the row belongs to, as the table has it; the GPU as the catalogue calls it, where it knows it."""
    said = {**OPTIONAL, **{name: text for name, text in row.columns.items() if text}}
    return {
        "task": said["task"],
        "gpu": _device_id(row.gpu),
        "precision": said["precision"],
        "family": family(row.workload),
        "workload": row.workload,
        "quantity": row.quantity,
        "compiled": said["compiled"],
        "memory_format": said["memory_format"],
        "num_gpus": said["num_gpus"],
        "source": said["source"].partition("@")[0],
    }


def _refuse(row: Measurement, columns: dict[str, str]) -> None:
    """What no forecast exists for."""
    _among("task", columns["task"], get_args(Task))
    _among("method", columns["method"].lower(), METHODS)
    _among("precision", columns["precision"], get_args(Precision))
    _among("compiled", columns["compiled"], dict.fromkeys(COMPILED.values()))
    _among("optimizer", columns["optimizer"].lower(), (*get_args(Optimizer), NO_OPTIMIZER))
    if columns["attention"].lower() not in ATTENTIONS:
        _among("attention", columns["attention"], get_args(Attention))
    _among("parallel", columns["parallel"].lower(), get_args(Parallel))
    if row.batch_size is None and row.quantity != "throughput":
        message = _("without batch_size there is nothing to hold {quantity} against")
        raise CannotCoverError(message.format(quantity=quantity_name(row.quantity)))


def _among(column: str, word: str, known: Iterable[str]) -> None:
    if word not in known:
        message = _("{column} {word} is not forecast; what is: {known}")
        raise CannotCoverError(message.format(column=column, word=word, known=", ".join(dict.fromkeys(known))))


@lru_cache(maxsize=4096)
def _find_place(gpu: str, count: int, link: str) -> Place:
    """The place; a count in the name of the GPU ("2x RTX 3090") holds where the table has none."""
    at = f"@{link}" if link else ""
    found = catalog.place(gpu + at)
    return found if count == 1 else catalog.place(f"{found.device.id}x{count}{at}")


@lru_cache(maxsize=4096)
def _device_id(gpu: str) -> str:
    try:
        return _find_place(gpu, 1, "").device.id
    except UsageError:
        return gpu


def _fields(row: Measurement, columns: dict[str, str], devices: int) -> dict[str, Any]:
    """The fields of the job; what the table leaves to the model is left out."""
    optimizer = columns["optimizer"].lower()
    sizes = {name: int(columns[name]) for name in ("image_size", "seq_len", "rank") if columns[name]}
    stated = {name: columns[name] for name in ("gradients_released",) if columns[name]}
    return {
        "task": columns["task"],
        "precision": columns["precision"],
        "batch_size": _batch(row, columns, devices),
        "optimizer": "sgd" if optimizer == NO_OPTIMIZER else optimizer,
        "memory_format": columns["memory_format"],
        "attention": ATTENTIONS[columns["attention"].lower()],
        "grad_checkpointing": columns["grad_checkpointing"] == "yes",
        "grad_accumulation": int(columns["grad_accumulation"]),
        "compiled": columns["compiled"] == "compiled",
        "input_copy": columns["input_copy"],
        "input_type": columns["input_type"],
        "pinned": columns["pinned"] == "yes",
        "parallel": columns["parallel"].lower(),
        "offload": columns["offload"],
        "software": columns["software"],
        "method": columns["method"].lower(),
        "targets": columns["targets"] or None,
        "output_held": columns["output_held"] == "yes",
        **sizes,
        **stated,
    }


def _batch(row: Measurement, columns: dict[str, str], devices: int) -> int | str:
    """Samples per device; what all devices take together is shared out evenly."""
    if row.batch_size is None:
        return "auto"
    if columns["batch_scope"] == "device":
        return row.batch_size
    if row.batch_size % devices:
        message = _("a batch of {batch} cannot be shared evenly by {count} GPUs")
        raise CannotCoverError(message.format(batch=row.batch_size, count=devices))
    return row.batch_size // devices
