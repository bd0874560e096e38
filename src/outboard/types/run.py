"""How a job is run: what people write under ``run:``, what is started from it, and what is seen of it afterwards."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from outboard.i18n import _

Trainer = Literal["auto", "transformers", "lightning", "torchtune", "ultralytics", "timm", "tqdm"]
StopSignal = Literal["TERM", "INT", "USR1"]
# "queued" waits for a scheduler; "waiting" for the next try or for a GPU; "requeue" was saved and waits for its next
# share of time; "stopped" was saved, as asked; "lost" has no GPU any more; "dead" ended with nobody left to say why;
# "unreachable" is not dead: its place does not answer.
RunState = Literal[
    "prepared",
    "queued",
    "starting",
    "running",
    "waiting",
    "requeue",
    "done",
    "failed",
    "stopped",
    "lost",
    "dead",
    "unreachable",
    "moved",
]
OVER: tuple[RunState, ...] = ("done", "failed", "stopped", "lost", "dead", "moved")
GOING: tuple[RunState, ...] = ("queued", "starting", "running", "waiting", "requeue")

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


def _inside(path: str) -> str:
    """A path that leads nowhere else: the job sends and overwrites only what it names."""
    if path.startswith(("/", "~")) or ".." in path.split("/") or not path.isprintable() or not path:
        raise ValueError(_("leads out of the working folder"))
    return path


Inside = Annotated[str, AfterValidator(_inside)]


class _Written(BaseModel):
    """A part of the file; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Environment(_Written):
    """What the command needs before it starts. Files are inside the working folder."""

    modules: Annotated[tuple[str, ...], Field(examples=["[cuda/12.4, python/3.11]"])] = ()
    uv: Annotated[Inside | None, Field(examples=["pyproject.toml"])] = None
    pip: Annotated[Inside | None, Field(examples=["requirements.txt"])] = None
    conda: Annotated[Inside | None, Field(examples=["environment.yml"])] = None
    setup: Annotated[str, Field(examples=["source ~/venv/bin/activate"])] = ""  # lines for bash

    @model_validator(mode="after")
    def _one_of_them(self) -> "Environment":
        given = [name for name in ("uv", "pip", "conda") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(_("{names} contradict each other; keep one").format(names=", ".join(given)))
        return self


class ProgressSaid(_Written):
    """How progress is read from what the command prints. A script that calls ``outboard.report`` needs neither."""

    trainer: Annotated[Trainer, Field(examples=["transformers"])] = "auto"
    pattern: Annotated[str | None, Field(examples=[r"'step (?P<step>\d+) of (?P<total>\d+)'"])] = None


class SlurmSaid(_Written):
    """What the batch script asks for beside what the forecast says."""

    partition: Annotated[str, Field(examples=["gpu"])] = ""
    account: Annotated[str, Field(examples=["physics"])] = ""
    qos: Annotated[str, Field(examples=["normal"])] = ""
    gres: Annotated[str, Field(examples=["gpu:a100:1"])] = ""  # nothing: gpu:N
    memory: Annotated[str, Field(examples=["32 GB"])] = ""
    cpus: Annotated[int | None, Field(ge=1, examples=["8"])] = None
    time: Annotated[str, Field(examples=["8 h"])] = ""  # nothing: from the forecast's upper band
    notice: Annotated[str, Field(examples=["3 min"])] = "3 min"  # the signal comes so long before the limit


class RunSection(_Written):
    """The ``run:`` section of a job file."""

    command: Annotated[str, Field(min_length=1, examples=["python train.py --data data"])]
    workdir: Annotated[str, Field(examples=["."])] = "."  # beside the job file
    environment: Annotated[Environment, Field(examples=["{pip: requirements.txt}"])] = Environment()
    variables: Annotated[dict[Name, str], Field(examples=["{OMP_NUM_THREADS: 4}"])] = {}
    secrets: Annotated[tuple[Name, ...], Field(examples=["[WANDB_API_KEY]"])] = ()  # names; values stay in the process
    files: Annotated[tuple[Inside, ...], Field(examples=["[train.py, src, data]"])] = (".",)  # what may be sent
    exclude: Annotated[tuple[str, ...], Field(examples=["['*.tmp']"])] = (".git", ".venv", "__pycache__")
    outputs: Annotated[tuple[Inside, ...], Field(examples=["[results]"])] = ()  # what comes back
    checkpoints: Annotated[Inside | None, Field(examples=["checkpoints"])] = None
    resume: Annotated[str, Field(examples=["--resume {checkpoint}"])] = ""  # added where there is a checkpoint
    progress: Annotated[ProgressSaid | None, Field(examples=["{trainer: transformers}"])] = None
    processes: Annotated[int | Literal["auto"] | None, Field(examples=["auto"])] = None  # through torchrun
    stop_signal: Annotated[StopSignal, Field(examples=["TERM"])] = "TERM"
    grace: Annotated[str, Field(examples=["60 s"])] = "60 s"  # from the wish to stop until it is killed
    hang: Annotated[str | None, Field(examples=["30 min"])] = None  # no line and no report for so long: it hangs
    tries: Annotated[int, Field(ge=1, le=100, examples=["3"])] = 3  # the same failure so often in a row ends the run
    gpu_wait: Annotated[str, Field(examples=["10 min"])] = "10 min"  # for one that fell off the bus
    budget: Annotated[str | None, Field(examples=["20 EUR"])] = None
    notify: Annotated[str, Field(examples=['notify-send "$OUTBOARD_RUN $OUTBOARD_STATE"'])] = ""
    slurm: Annotated[SlurmSaid, Field(examples=["{partition: gpu}"])] = SlurmSaid()


@dataclass(frozen=True)
class Launch:
    """One start of a run, all of it decided: what an executor needs and nothing else."""

    id: str
    name: str
    generation: int  # grows with each start, so that an old process that is slow to die writes nothing any more
    section: RunSection
    workdir: Path  # on this machine
    devices: int = 1
    device: str = ""  # catalogue name
    vendor: str = "nvidia"  # "cpu": no GPU is asked for
    hours: float | None = None  # forecast, upper band [h]
    memory: float | None = None  # of the host, forecast [B]
    total_samples: float | None = None
    samples_per_step: float | None = None
    budget_seconds: float | None = None
    walltime: float | None = None  # the longest that a scheduler gives at one go [h]
    partition: str = ""
    secrets: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    seen: dict[str, Any] = field(default_factory=dict[str, Any])  # the state that an earlier place left, when moved


@dataclass(frozen=True)
class Seen:
    """A run as its place shows it."""

    state: RunState
    why: str = ""
    told: dict[str, Any] = field(default_factory=dict[str, Any])  # the keeper's own state

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it by itself."""
        return self.state in OVER


@dataclass(frozen=True)
class Run:
    """One execution of a job at a place, as the store keeps it."""

    id: str
    name: str
    where: str  # local, ssh:HOST, slurm, slurm:LOGIN
    place: str  # GPU[xN][@LINK], empty where nobody said
    reference: str  # what the executor calls it: a job number, or nothing
    folder: str  # at the place
    generation: int
    state: RunState
    why: str
    created: str  # ISO
    job: dict[str, Any]  # as written in its file, and where that lay
    forecast: dict[str, Any]  # hours, samples/s, memory, money an hour: each with its band, or null
    told: dict[str, Any]  # the newest that the keeper said
    fallback: tuple[str, ...] = ()  # where to go on when its GPU is lost, in order
