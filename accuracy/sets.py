"""The sets of ``sets.toml``: which rows, and with which coefficients, so that each is judged on what it never saw."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from accuracy import baselines, reference, refit, refits, serving_sets, transfer, vision
from accuracy.bands import spread
from accuracy.hardware import NAMES
from accuracy.observations import Observations, forecast, log_errors
from accuracy.scores import Errors, Score, score
from accuracy.subjects import Subject, others, timm
from outboard.catalog import device
from outboard.perf.time import coefficients
from outboard.perf.time.coefficients import Coefficients
from outboard.uncertainty.bands import Z80

PATH = Path(__file__).with_name("sets.toml")


@dataclass(frozen=True)
class Goal:
    """What a set is, and which errors it is to reach and may not pass; ratios [1]."""

    name: str
    title: str
    left_out: str
    median: float
    p90: float
    ceiling: tuple[float, float]
    sample: tuple[float, float] | None = None  # the same for the rows of accuracy/cases/sample.csv

    def holds(self, reached: Errors) -> bool:
        """Whether no error passes its ceiling."""
        return reached.median <= self.ceiling[0] and reached.p90 <= self.ceiling[1]


@cache
def goals() -> tuple[Goal, ...]:
    """All sets, in the order of the file."""
    table = tomllib.loads(PATH.read_text(encoding="utf-8"))
    return tuple(_goal(name, entry) for name, entry in table.items())


def _goal(name: str, entry: dict[str, Any]) -> Goal:
    pairs = {key: tuple(entry[key]) for key in ("ceiling", "sample") if key in entry}
    return Goal(name, **{**entry, **pairs})


def all_sets(said: Callable[[str], None] = lambda text: None) -> dict[str, list[Score]]:
    """Every set's scores by its name; takes some minutes."""
    found: dict[str, list[Score]] = {}
    for goal in goals():
        said(goal.title)
        found[goal.name] = ALONE[goal.name]() if goal.name in ALONE else JUDGES[goal.name](subjects_of(goal.name))
    return found


def subjects_of(name: str) -> list[Subject]:
    """The rows of a set of whole models."""
    if name in TABLES:
        return others(reference.require() / TABLES[name])
    if name == "timm-train":
        return [one for one in vision_subjects() if one.job.task == "train"]
    inferred = [one for one in vision_subjects() if one.job.task == "infer"]
    if name == "timm-infer-other-gpu":
        return inferred
    return [one for one in inferred if one.job.compiled == (name == "timm-infer-compiled")]


@cache
def vision_subjects() -> tuple[Subject, ...]:
    """Rows of vision models."""
    return tuple(timm(reference.require(), vision.MODELS, reference.TRACES))


def families_left_out(subjects: Sequence[Subject]) -> list[Score]:
    """Each row by the fit that never saw its family."""
    return _each(subjects, lambda one: refits.without_family(one.family))


def gpus_left_out(subjects: Sequence[Subject]) -> list[Score]:
    """Each row by the fit that never saw its GPU, with the band of an architecture that no fit has seen."""
    return _each(subjects, lambda one: refits.without_gpu(one.gpu), unseen=True)


def across_gpus(subjects: Sequence[Subject]) -> list[Score]:
    """Nothing was fitted on this table; GPUs that other tables have are left out of those."""
    known = [one for one in subjects if refits.was_fitted(one.gpu)]
    strange = [one for one in subjects if not refits.was_fitted(one.gpu)]
    return [*gpus_left_out(known), *score(strange, coefficients.load())]


def old_software(subjects: Sequence[Subject]) -> list[Score]:
    """Each row with what the other GPU of the precision sweep says of old hosts and libraries."""
    return _each(subjects, lambda one: refits.from_others("old", one.gpu), unseen=True)


def transformers(subjects: Sequence[Subject]) -> list[Score]:
    """As other GPUs; what AMD's libraries reach, alone fitted on this table, is fitted on AMD's other GPUs."""
    amd = [one for one in subjects if one.gpu in transfer.AMD_GPUS]
    rest = [one for one in subjects if one.gpu not in transfer.AMD_GPUS]
    return [*gpus_left_out(rest), *_each(amd, lambda one: refits.from_others("amd", one.gpu), unseen=True)]


def _each(subjects: Sequence[Subject], by: Callable[[Subject], Coefficients], unseen: bool = False) -> list[Score]:
    groups: dict[Coefficients, list[Subject]] = {}
    for one in subjects:
        groups.setdefault(by(one), []).append(one)
    return [found for c, members in groups.items() for found in score(members, c, unseen=unseen)]


def _operators() -> list[Score]:
    single, _whole = refit.tables()
    off = {number: log_errors(table, refits.without_gpu(table.labels[0]["gpu"])) for number, table in enumerate(single)}
    found: list[Score] = []
    for table in single:
        gpu = refits.chip(table.labels[0]["gpu"])
        rest = [off[other] for other, one in enumerate(single) if refits.chip(one.labels[0]["gpu"]) != gpu]
        found += _operator_scores(table, refits.without_gpu(gpu), spread(np.concatenate(rest)))
    return found


def _operator_scores(table: Observations, c: Coefficients, sigma: float) -> list[Score]:
    said = forecast(table, c)
    factor = float(np.exp(Z80 * sigma))
    found: list[Score] = []
    for number, label in enumerate(table.labels):
        known = device("a100-sxm4-80gb" if label["gpu"] == "a100" else NAMES.get(label["gpu"], label["gpu"]))
        others_say = baselines.of_operators(table.cols.take(np.array([number])), known)
        value, measured = float(said[number]), float(table.measured[number])
        name = f"{label['table']} {label['op']}"
        group = f"{label['gpu']} {label['table']}"
        found.append(Score("", name, label["gpu"], group, measured, value, value / factor, value * factor, others_say))
    return found


TABLES = {
    "training-across-gpus": "training_many_gpus.csv",
    "torchvision-precisions": "precision_sweep.csv",
    "transformers-fp32": "transformers_fp32.csv",
}
# Sets that need no traces.
ALONE: dict[str, Callable[[], list[Score]]] = {
    "operators": _operators,
    "serving-writing": serving_sets.writing,
    "serving-reading": serving_sets.reading,
    "serving-several-gpus": serving_sets.several,
    "serving-memory": serving_sets.memory_scores,
}
# How the rows of each set of whole models are judged.
JUDGES: dict[str, Callable[[Sequence[Subject]], list[Score]]] = {
    "timm-infer-eager": families_left_out,
    "timm-infer-compiled": families_left_out,
    "timm-train": families_left_out,
    "timm-infer-other-gpu": gpus_left_out,
    "training-across-gpus": across_gpus,
    "torchvision-precisions": old_software,
    "transformers-fp32": transformers,
}
