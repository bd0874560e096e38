"""The coefficients that judge: each fitted without what it is judged on. Read from ``refits.json``.

``python -m accuracy.refit`` writes that file: one fit without each quarter of the families of vision models, and one
without each GPU whose timings any fit uses.
"""

import json
import re
from functools import cache

from accuracy.reference import ROOT
from accuracy.vision import quarter
from outboard.perf.time import coefficients
from outboard.perf.time.coefficients import Coefficients

PATH = ROOT / "accuracy" / "refits.json"
# Endings that tell boards of one chip apart: form, memory. They are left out together.
BOARD = re.compile(r"-(pcie|sxm\d?|nvl|oam|\d+gb).*$")


def chip(gpu: str) -> str:
    """The name of a GPU without its form and memory.

    >>> chip("a100-pcie-40gb"), chip("v100-sxm2-16gb"), chip("rtx-2080-ti")
    ('a100', 'v100', 'rtx-2080-ti')
    """
    return BOARD.sub("", gpu)


def without_family(family: str) -> Coefficients:
    """What follows without any timing of the quarter of families that ``family`` is in."""
    return _read(f"families {quarter(family)}")


def without_gpu(gpu: str) -> Coefficients:
    """What follows without any timing on the chip of ``gpu``: the coefficients that ship, where no fit has seen it."""
    name = f"without {chip(gpu)}"
    return _read(name) if name in _stored() else coefficients.load()


def was_fitted(gpu: str) -> bool:
    """Whether the coefficients that ship have seen timings on the chip of ``gpu``."""
    return f"without {chip(gpu)}" in _stored()


def from_others(what: str, gpu: str) -> Coefficients:
    """The coefficients that ship, with what one table alone knows (``old``, ``amd``) fitted on its other GPUs."""
    return _read(f"{what} {gpu}")


@cache
def _stored() -> dict[str, dict[str, float]]:
    return json.loads(PATH.read_text(encoding="utf-8"))


@cache
def _read(name: str) -> Coefficients:
    return coefficients.load().with_values(_stored()[name])
