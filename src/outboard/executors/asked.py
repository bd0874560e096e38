"""What the keeper is asked: a launch as the plain dictionary of ``run.json``, and the set-up of its environment."""

import shlex
from typing import Any

from outboard.types.run import Environment, Launch
from outboard.units import parse

KEEPER = "keeper.pyz"
ASKED = "run.json"


def asked(launch: Launch, folder: str, workdir: str, *, requeue: bool = False) -> dict[str, Any]:
    """Everything the keeper needs, without a secret: those go to it by its environment."""
    said = launch.section
    return {
        "id": launch.id,
        "name": launch.name,
        "generation": launch.generation,
        "command": command(launch),
        "setup": setup(said.environment, folder),
        "workdir": workdir,
        "variables": dict(said.variables),
        "checkpoints": f"{workdir}/{said.checkpoints}" if said.checkpoints else None,
        "resume": said.resume,
        "progress": said.progress.model_dump() if said.progress else None,
        "stop_signal": said.stop_signal,
        "grace": parse(said.grace, "s"),
        "hang": parse(said.hang, "s") if said.hang else None,
        "allowed": said.tries,
        "gpu_wait": parse(said.gpu_wait, "s"),
        "total_samples": launch.total_samples,
        "samples_per_step": launch.samples_per_step,
        "budget_seconds": launch.budget_seconds,
        "notify": said.notify,
        "requeue": requeue,
    }


def command(launch: Launch) -> str:
    """The person's command, under torchrun where they want several processes."""
    said = launch.section
    if said.processes is None:
        return said.command
    count = launch.devices if said.processes == "auto" else said.processes
    script = said.command.strip()
    for python in ("python3 ", "python "):
        script = script.removeprefix(python)
    return f"torchrun --standalone --nproc-per-node={count} {script}"


def setup(environment: Environment, folder: str) -> str:
    """Lines for bash that make and enter the environment; the first that fails ends the attempt."""
    lines = [f"module load {shlex.quote(name)}" for name in environment.modules]
    if environment.uv is not None:
        project = shlex.quote(environment.uv.rpartition("/")[0] or ".")
        lines += [f"uv sync --quiet --project {project}", f". {project}/.venv/bin/activate"]
    if environment.pip is not None:
        lines += _once(f"{folder}/venv", environment.pip, _PIP)
    if environment.conda is not None:
        lines += ['eval "$(conda shell.bash hook)"', *_once(f"{folder}/conda", environment.conda, _CONDA)]
    if environment.setup:
        lines.append(environment.setup.rstrip())
    return "\n".join(["set -e", *lines, "set +e"]) if lines else ""


_PIP = (
    "python3 -m venv {into}",
    "{into}/bin/python -m pip install --quiet --requirement {file}",
    ". {into}/bin/activate",
)
_CONDA = ("conda env update --quiet --prefix {into} --file {file}", "", "conda activate {into}")


def _once(into: str, file: str, how: tuple[str, str, str]) -> list[str]:
    """Make an environment when its file is not the one it was made from; enter it."""
    names = {"into": shlex.quote(into), "file": shlex.quote(file)}
    made, filled, enter = (line.format(**names) for line in how)
    stamp = shlex.quote(f"{into}.from")
    work = [line for line in (made, filled, f"cp {names['file']} {stamp}") if line]
    return [f"cmp -s {names['file']} {stamp} || {{ {' && '.join(work)}; }}", enter]
