"""A question as what the command line takes: the fields of a job, the two files of a plan, the equal commands."""

import shlex
from typing import Any

import yaml

from outboard import catalog
from outboard.measuring import is_here
from outboard.tracing import zoo
from outboard.web.fields import UPLOADED
from outboard.web.question import Question, offered

HOUR = 3600.0
OPTIONS = {
    "task": "--task",
    "precision": "--precision",
    "batch_size": "--batch",
    "image_size": "--image-size",
    "seq_len": "--seq-len",
    "optimizer": "--optimizer",
    "memory_format": "--memory-format",
    "grad_accumulation": "--grad-accumulation",
    "input_copy": "--input-copy",
}


def job_fields(asked: Question) -> dict[str, Any]:
    """The fields of the job that are not the usual ones of a job; a trace settles most by itself."""
    said: dict[str, Any] = {"batch_size": asked.batch, "grad_accumulation": asked.accumulate, "input_copy": asked.copy}
    if asked.task != "infer":
        said["optimizer"] = asked.optimizer
    if not asked.w.startswith(UPLOADED):
        said |= {"task": asked.task, "precision": asked.precision, "memory_format": asked.layout}
        said["grad_checkpointing"] = asked.checkpoint
        has = offered(asked.w, asked.task, asked.precision)
        if asked.size is not None and has is not None:
            said["seq_len" if has.tokens else "image_size"] = asked.size
    usual = {"batch_size": "auto", "grad_accumulation": 1, "input_copy": "serial", "optimizer": "adamw"}
    usual |= {"task": "train", "precision": "fp32", "memory_format": "nchw", "grad_checkpointing": False}
    return {name: value for name, value in said.items() if value != usual.get(name)}


def name_of(asked: Question) -> str:
    """What the model is called, for people."""
    return zoo.find(asked.w.removeprefix("zoo:")).title if asked.w.startswith("zoo:") else asked.w


def job_file(asked: Question, workload: str, rate: float | None) -> dict[str, Any]:
    """The job for a plan. Without data of its own, one run is one hour of work at the place in sight.

    ``rate`` is what that place does [samples/s].
    """
    said: dict[str, Any] = {"name": _plain(asked), "workload": workload, **job_fields(asked)}
    if asked.samples is not None:
        said["data"] = {"samples": asked.samples, "epochs": asked.epochs}
        said["repeat"] = {"runs_per_week": 1.0 if asked.runs is None else asked.runs}
    else:
        said["data"] = {"samples": max(round((rate or 1.0) * HOUR), 1)}
        said["repeat"] = {"runs_per_week": asked.hours}
    return said


def _plain(asked: Question) -> str:
    return f"{asked.w.partition(':')[2]}-{asked.task}"


def me_file(asked: Question) -> dict[str, Any]:
    """The circumstances for a plan."""
    said: dict[str, Any] = {"host": asked.host, "os": asked.os}
    said["owned"] = [_owned(name) for name in asked.have if not is_here(name)]
    said |= {"country": asked.country, "electricity": asked.electricity, "horizon": f"{asked.months} months"}
    said |= {"budget": asked.budget, "time_value": asked.own_hour}
    if not asked.leave or asked.carry:
        said["constraints"] = {"data_may_leave": asked.leave, "portable": asked.carry}
    if not asked.cloud:
        said["access"] = {"cloud": False}
    if asked.goal != "cheapest":
        said["goal"] = asked.goal
    return {key: value for key, value in said.items() if value}


def _owned(name: str) -> dict[str, Any]:
    place = catalog.place(name)
    found: dict[str, Any] = {"device": place.device.id, "link": place.link.id}
    return {**found, "count": place.count} if place.count > 1 else found


def as_yaml(said: dict[str, Any]) -> str:
    """A file as ``outboard plan`` reads it."""
    return yaml.safe_dump(said, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100)


def commands(asked: Question, workload: str) -> list[str]:
    """The commands that give the same numbers."""
    said = job_fields(asked)
    words = [workload]
    for name, flag in OPTIONS.items():
        if name in said:
            words += [flag, str(said[name])]
    if said.get("grad_checkpointing"):
        words.append("--grad-checkpointing")
    job = " ".join(shlex.quote(word) for word in words)
    on = " ".join(f"--on {shlex.quote(name)}" for name in asked.every)
    return [
        f"outboard estimate {job} --on {shlex.quote(asked.focus)} --explain",
        f"outboard compare {job} {on}",
        "outboard plan job.yaml --situation me.yaml",
    ]
