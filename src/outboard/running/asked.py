"""Reads a job file that has a ``run:`` section."""

from dataclasses import dataclass
from pathlib import Path

from outboard.errors import FileError, UnitError
from outboard.i18n import _
from outboard.planner import files, jobs
from outboard.types.job import JobFile
from outboard.types.run import RunSection
from outboard.units import parse

EXAMPLE = "{command: python train.py, checkpoints: checkpoints}"


@dataclass(frozen=True)
class Runnable:
    """A job that says how it is run. ``asked`` is None where nobody can forecast it: it says too little for that."""

    path: str
    said: JobFile
    section: RunSection
    workdir: Path
    name: str
    asked: jobs.Asked | None
    unknown: str = ""  # why it cannot be forecast


def load(path: str | Path) -> Runnable:
    """Read a job file. Raises :class:`FileError` for whatever is wrong with it."""
    return resolve(files.read(path, JobFile), str(Path(path).absolute()))


def resolve(said: JobFile, path: str) -> Runnable:
    """Check what the file says of its run."""
    section = said.run
    if section is None:
        right = _("write it like '{example}'").format(example=EXAMPLE)
        raise FileError(path, _("is missing: without it nobody knows what to start"), "run", right)
    for key, dimension, example in (
        ("grace", "s", "60 s"),
        ("hang", "s", "30 min"),
        ("gpu_wait", "s", "10 min"),
        ("slurm.time", "s", "8 h"),
        ("slurm.notice", "s", "3 min"),
        ("slurm.memory", "bytes", "32 GB"),
    ):
        _quantity(section, key, dimension, example, path)
    _pattern(section, path)
    workdir = (Path(path).parent / Path(section.workdir).expanduser()).resolve()
    if not workdir.is_dir():
        raise FileError(path, _("there is no folder {folder}").format(folder=workdir), "run.workdir")
    asked, unknown = None, ""
    try:
        asked = jobs.resolve(said, path)
    except FileError as error:
        if error.key != "data":
            raise
        unknown = _("how long it takes is unknown: the file does not say data:")
    name = said.name or (asked.name if asked else Path(path).stem)
    return Runnable(path, said, section, workdir, name, asked, unknown)


def _quantity(section: RunSection, key: str, dimension: str, example: str, path: str) -> None:
    first, _dot, second = key.partition(".")
    text = getattr(getattr(section, first), second) if second else getattr(section, first)
    if not text:
        return
    try:
        parse(text, dimension)
    except UnitError as error:
        raise FileError(
            path, str(error), f"run.{key}", _("write it like '{example}'").format(example=example)
        ) from None


def _pattern(section: RunSection, path: str) -> None:
    import re

    if section.progress is None or section.progress.pattern is None:
        return
    try:
        names = re.compile(section.progress.pattern).groupindex
    except re.error as error:
        raise FileError(path, _("is no pattern: {reason}").format(reason=error), "run.progress.pattern") from None
    if not {"step", "samples", "epoch"} & set(names):
        right = _("name what it finds: (?P<step>...), (?P<samples>...) or (?P<epoch>...)")
        raise FileError(path, _("finds nothing that has a name"), "run.progress.pattern", right)
