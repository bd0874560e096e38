"""Measurements and predictions made by hand."""

from typing import Any

from outboard.validation.cases import Case
from outboard.validation.measurement import Measurement
from outboard.validation.predict import Outcome, Prediction


def measurement(**changes: Any) -> Measurement:
    columns = changes.pop("columns", {})
    fields: dict[str, Any] = {
        "line": 2,
        "id": "2",
        "workload": "zoo:resnet50",
        "gpu": "rtx-3090",
        "quantity": "throughput",
        "value": 1000.0,
        "unit": "images/s",
        "scale": 1.0,
        "si_unit": "samples/s",
        "batch_size": 64,
    }
    return Measurement(**{**fields, **changes}, columns=columns)


def prediction(forecast: float | None, measured: float = 1.0, width: float = 1.2, **labels: str) -> Prediction:
    case = Case(measurement(value=measured), labels)
    if forecast is None:
        return Prediction(case, Outcome(reason="nobody knows"))
    return Prediction(case, Outcome(forecast, forecast / width, forecast * width))
