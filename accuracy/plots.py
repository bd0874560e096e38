"""Forecast against measured, as pictures."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import vl_convert

from accuracy.scores import Score

MOST = 160  # points of a plot: more are not seen
SIZE = 330
BAND = 0.2


def write_plot(title: str, scores: Sequence[Score], path: Path) -> None:
    """Draw ``scores`` with the diagonal and 20 % to either side, as SVG."""
    path.write_text(vl_convert.vegalite_to_svg(json.dumps(_spec(title, scores)), vl_version="5.20"), encoding="utf-8")


def _spec(title: str, scores: Sequence[Score]) -> dict[str, Any]:
    chosen = [scores[int(i)] for i in np.unique(np.linspace(0, len(scores) - 1, MOST).astype(int))]
    points = [{"measured": 1e3 * one.measured, "forecast": 1e3 * one.forecast, "gpu": one.gpu} for one in chosen]
    ends = [min(p["measured"] for p in points), max(p["measured"] for p in points)]
    lines = [
        {"measured": end, "forecast": factor * end, "line": name}
        for name, factor in (("exact", 1.0), ("over", 1 + BAND), ("under", 1 - BAND))
        for end in ends
    ]
    x = {"field": "measured", "type": "quantitative", "title": "measured, ms", "scale": {"type": "log"}}
    y = {"field": "forecast", "type": "quantitative", "title": "forecast, ms", "scale": {"type": "log"}}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": title,
        "width": SIZE,
        "height": SIZE,
        "layer": [
            {
                "data": {"values": lines},
                "mark": {"type": "line", "color": "#999", "strokeWidth": 1},
                "encoding": {"x": x, "y": y, "detail": {"field": "line"}},
            },
            {
                "data": {"values": points},
                "mark": {"type": "point", "size": 14, "opacity": 0.6},
                "encoding": {"x": x, "y": y, "color": {"field": "gpu", "type": "nominal", "title": None}},
            },
        ],
    }
