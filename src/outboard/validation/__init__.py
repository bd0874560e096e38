"""Forecasts held against measurements: a table of measured rows in, errors by group out.

Four steps, each usable alone::

    table.read(path) -> measurements      # one clear error for a bad file
    cases.prepare(measurements) -> cases  # the job and the place of each, or the reason why there is none
    predict.predict(cases) -> predictions # the product's own forecast of each
    groups.summarise(predictions, by)     # rows, covered, errors, bias, share inside the band

``outboard validate`` is these four and a page; ``accuracy/`` reuses them with traces of its own.
"""

from outboard.validation.cases import Case, prepare
from outboard.validation.groups import DEFAULT_BY, Summary, grouped, summarise
from outboard.validation.measurement import Measurement
from outboard.validation.predict import Prediction, predict
from outboard.validation.sampling import sample
from outboard.validation.table import read

__all__ = [
    "DEFAULT_BY",
    "Case",
    "Measurement",
    "Prediction",
    "Summary",
    "grouped",
    "predict",
    "prepare",
    "read",
    "sample",
    "summarise",
]
