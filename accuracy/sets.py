"""The sets of ``sets.toml``: which rows, and with which coefficients, so that each is judged on what it never saw."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from accuracy import baselines, fit, reference, vision
from accuracy.bands import spread
from accuracy.hardware import NAMES
from accuracy.observations import Observations, forecast, log_errors
from accuracy.scores import Errors, Score, score
from accuracy.subjects import Subject, by_gpu, others, timm
from outboard.catalog import device
from outboard.perf.time import coefficients
from outboard.perf.time.coefficients import Coefficients
from outboard.uncertainty.bands import Z80

PATH = Path(__file__).with_name("sets.toml")
MODELS = 320
AMD = ("mi100", "mi210")  # what the tables call an MI250 is one die of it, which has the units of an MI210


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
        found[goal.name] = SETS[goal.name]()
    return found


@cache
def held_out_subjects() -> tuple[Subject, ...]:
    """Rows of families that no fit has seen."""
    subjects = timm(reference.require(), MODELS, reference.TRACES)
    return tuple(one for one in subjects if vision.hashed(one.family) % 2 == 1)


def _timm_infer(compiled: bool) -> list[Score]:
    chosen = [one for one in held_out_subjects() if one.job.task == "infer" and one.job.compiled == compiled]
    return score(chosen, coefficients.load())


def _timm_train() -> list[Score]:
    return score([one for one in held_out_subjects() if one.job.task == "train"], coefficients.load())


def _timm_other_gpu() -> list[Score]:
    found: list[Score] = []
    for gpu in fit.VISION_GPUS:
        chosen = [one for one in held_out_subjects() if one.job.task == "infer" and one.gpu == gpu]
        found += score(chosen, without_gpu(gpu), unseen=True)
    return found


@cache
def _tables() -> tuple[tuple[Observations, ...], tuple[Observations, ...]]:
    """What everything is fitted on: single operators, and vision models of the families that are not held out."""
    folder = reference.require()
    whole = fit.model_tables(folder, reference.TRACES, MODELS, judged=False)
    return tuple(fit.operator_tables(folder)), tuple(whole)


@cache
def without_gpu(gpu: str) -> Coefficients:
    """The coefficients that follow without any timing of a vision model on ``gpu``."""
    return fit.without(gpu, *_tables())


def _across() -> list[Score]:
    found: list[Score] = []
    for gpu, subjects in by_gpu(others(reference.require() / "training_many_gpus.csv")).items():
        known = gpu in fit.VISION_GPUS
        found += score(subjects, without_gpu(gpu) if known else coefficients.load(), unseen=known)
    return found


def _precisions() -> list[Score]:
    """``issue_old`` was chosen by looking at this table, so it is judged without: as fast as the hosts of today."""
    strangers = coefficients.load().with_values({"issue_old": 1.0})
    return score(others(reference.require() / "precision_sweep.csv"), strangers, unseen=True)


def _transformers() -> list[Score]:
    """What AMD's libraries reach, alone fitted on this table, is fitted on AMD's other GPUs."""
    groups = by_gpu(others(reference.require() / "transformers_fp32.csv"))
    found: list[Score] = []
    for gpu, subjects in groups.items():
        rest = [one for other in AMD if other != gpu for one in groups[other]]
        c = _refitted(rest, ("amd_arithmetic", "amd_memory")) if gpu in AMD else coefficients.load()
        found += score(subjects, c, unseen=True)
    return found


def _refitted(subjects: Sequence[Subject], names: tuple[str, ...]) -> Coefficients:
    """The shipped coefficients with ``names`` fitted on ``subjects``, one after the other."""
    c = coefficients.load()
    for _round in range(2 if len(names) > 1 else 1):
        for name in names:
            low, high = (float(end) for end in coefficients.table()[name]["range"])  # type: ignore[attr-defined]
            c = c.with_values({name: _best(subjects, c, name, low, high)})
    return c


def _best(subjects: Sequence[Subject], c: Coefficients, name: str, low: float, high: float) -> float:
    def off(value: float) -> float:
        scores = score(subjects, c.with_values({name: float(value)}))
        return float(np.mean(np.abs(np.log([one.forecast / one.measured for one in scores]))))

    return float(minimize_scalar(off, bounds=(low, high), method="bounded", options={"maxiter": 12}).x)


def _operators() -> list[Score]:
    single, _whole = _tables()
    found: list[Score] = []
    for gpu in sorted({table.labels[0]["gpu"] for table in single}):
        rest = [table for table in single if table.labels[0]["gpu"] != gpu]
        c = fit.run(rest, [], fit.OPERATORS)
        sigma = spread(np.concatenate([log_errors(table, c) for table in rest]))
        for table in single:
            if table.labels[0]["gpu"] == gpu:
                found += _operator_scores(table, c, sigma)
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


SETS: dict[str, Callable[[], list[Score]]] = {
    "timm-infer-eager": lambda: _timm_infer(compiled=False),
    "timm-infer-compiled": lambda: _timm_infer(compiled=True),
    "timm-train": _timm_train,
    "timm-infer-other-gpu": _timm_other_gpu,
    "training-across-gpus": _across,
    "torchvision-precisions": _precisions,
    "transformers-fp32": _transformers,
    "operators": _operators,
}
