"""From a job file to a run that has been started."""

import os
import secrets
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from outboard.cost.money import in_usd, parse_money
from outboard.errors import OutsideError, UsageError
from outboard.executors.base import Executor
from outboard.i18n import _
from outboard.resuming import found
from outboard.running import where
from outboard.running.asked import Runnable, resolve
from outboard.running.choose import Choice
from outboard.running.quote import HOUR, Quote
from outboard.store import Store
from outboard.types.job import JobFile
from outboard.types.run import GOING, Launch, Run

LONGEST_NAME = 24
CLAIMED = "claimed"  # when somebody began to start it


@dataclass(frozen=True)
class Prepared:
    """Everything decided and nothing done yet."""

    job: Runnable
    choice: Choice
    quote: Quote
    launch: Launch
    executor: Executor

    @property
    def script(self) -> str:
        """What is going to be executed."""
        return self.executor.script(self.launch)


def prepared(job: Runnable, choice: Choice, quote: Quote, budget: str | None = None, id: str = "") -> Prepared:
    """Decide everything that a start needs. Raises :class:`UsageError` where that cannot be."""
    return Prepared(job, choice, quote, launch_of(job, choice, quote, budget, id), where.executor(choice.where))


def launch_of(
    job: Runnable, choice: Choice, quote: Quote, budget: str | None, id: str = "", generation: int = 1
) -> Launch:
    """The launch of ``job``."""
    section, place = job.section, quote.place
    data = job.said.data
    slurm = choice.me.slurm if choice.me else None
    said = choice.me.stated.access.slurm if choice.me else None
    return Launch(
        id=id or new_id(job.name),
        name=job.name,
        generation=generation,
        section=section,
        workdir=job.workdir,
        devices=place.count if place else 1,
        device=place.device.id if place else "",
        vendor=place.device.vendor if place else "nvidia",
        hours=quote.hours[2] if quote.hours else None,
        memory=quote.host_memory,
        total_samples=float(data.samples * data.epochs) if data else None,
        samples_per_step=_per_step(job, place.count if place else 1),
        budget_seconds=_budget(budget or section.budget, quote, job.path),
        walltime=slurm.walltime if slurm else None,
        partition=said.partition if said else "",
        secrets=secret_values(section.secrets),
    )


def new_id(name: str) -> str:
    """A name that people can type and that no other run has."""
    plain = "".join(each if each.isascii() and each.isalnum() else "-" for each in name.lower())
    short = "-".join(filter(None, plain.split("-")))[:LONGEST_NAME].strip("-")
    return f"{short or 'run'}-{secrets.token_hex(2)}"


def secret_values(names: tuple[str, ...]) -> dict[str, str]:
    """Take the values from the environment; one that is not there is an error now and not after an hour of queueing."""
    missing = [name for name in names if name not in os.environ]
    if missing:
        message = _("run.secrets: {names} is not in your environment; write: export {first}=...")
        raise UsageError(message.format(names=", ".join(missing), first=missing[0]))
    return {name: os.environ[name] for name in names}


def begin(made: Prepared, store: Store, fallback: tuple[str, ...] = ()) -> Run:
    """Bring everything to the place, start, keep. A run whose start fails leaves nothing behind that runs."""
    _alone(made, store)
    made.executor.check()
    launch, choice = made.launch, made.choice
    folder = made.executor.prepare(launch)
    run = Run(
        id=launch.id,
        name=launch.name,
        where=choice.where.text,
        place=made.quote.place.name if made.quote.place else "",
        reference="",
        folder=folder,
        generation=launch.generation,
        state="starting",
        why="",
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        job=written(made.job),
        forecast=forecast_of(made),
        told={CLAIMED: time.time()},
        fallback=fallback,
    )
    store.add_run(run)
    try:
        reference = made.executor.start(launch, folder)
    except OutsideError as error:
        store.save_run(replace(run, state="failed", why=str(error)))
        raise
    run = starting(replace(run, reference=reference))
    store.save_run(run)
    return run


def _alone(made: Prepared, store: Store) -> None:
    """Refuse a second run of the same folder at the same place: both would write the same checkpoints."""
    if made.choice.where.way == "ssh" or made.launch.section.checkpoints is None:
        return  # each has a copy of its own there, or they share nothing
    for other in store.runs():
        same = other.job["workdir"] == str(made.job.workdir) and other.where == made.choice.where.text
        if same and other.state in GOING:
            message = _("{run} works in {folder} already; stop it first, or start this job from a copy of the folder")
            raise UsageError(message.format(run=other.id, folder=made.job.workdir))


def begun_at(made: Prepared) -> str:
    """The checkpoint of an earlier run from which this one goes on, empty for none."""
    checkpoints = made.launch.section.checkpoints
    if checkpoints is None:
        return ""
    whole = (one for one in found.checkpoints(made.job.workdir / checkpoints) if one.complete)
    first = next(whole, None)
    return str(Path(first.path).relative_to(made.job.workdir)) if first else ""


def starting(run: Run) -> Run:
    """A run that somebody starts now: for a moment its place still shows what an earlier start left."""
    return replace(run, state="starting", why="", told={**run.told, CLAIMED: time.time()})


# What of a launch is decided once, at the first start at a place.
KEPT = (
    *("devices", "device", "vendor", "hours", "memory", "total_samples", "samples_per_step", "budget_seconds"),
    *("walltime", "partition"),
)


def forecast_of(made: Prepared, spent: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the store keeps of the forecast and of what was decided; ``spent`` is what earlier places cost."""
    launch = made.launch
    return {
        **made.quote.plain,
        "total_samples": launch.total_samples,
        "samples_per_step": launch.samples_per_step,
        "launch": {name: getattr(launch, name) for name in KEPT},
        "spent": spent or {},
    }


def budget_left(run: Run, text: str) -> float | None:
    """Seconds that a budget gives a run, those that it was kept for already among them."""
    per_hour, spent = run.forecast.get("usd_per_hour"), run.forecast.get("spent") or {}
    left = in_usd(parse_money(text, "--budget")).value - float(spent.get("usd", 0.0))
    if per_hour is None:
        raise UsageError(_no_price())
    return float(spent.get("seconds", 0.0)) + left / per_hour * HOUR if per_hour > 0 else None


def written(job: Runnable) -> dict[str, Any]:
    """The job as the store keeps it: as it was written, and where. The file may change; this run does not."""
    said = job.said.model_dump(mode="json", exclude_unset=True)
    return {"path": job.path, "said": said, "workdir": str(job.workdir)}


def reread(run: Run) -> Runnable:
    """The job of a run, as it was when it started."""
    job = resolve(JobFile.model_validate(run.job["said"]), run.job["path"])
    return replace(job, workdir=Path(run.job["workdir"]))


def _per_step(job: Runnable, devices: int) -> float | None:
    """Samples of one step as trainers count steps: of the optimizer, all devices together."""
    batch = job.said.batch_size
    return float(batch * devices * job.said.grad_accumulation) if isinstance(batch, int) else None


def _budget(text: str | None, quote: Quote, path: str) -> float | None:
    if text is None:
        return None
    usd = in_usd(parse_money(text, "run.budget", path)).value
    if quote.usd_per_hour is None:
        raise UsageError(_no_price())
    return usd / quote.usd_per_hour * HOUR if quote.usd_per_hour > 0 else None


def _no_price() -> str:
    return _("a budget stops a run only where the price of an hour is known; say it: --price '0.40 EUR/h'")
