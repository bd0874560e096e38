"""The charts as Vega-Lite specifications: plain data, drawn by whoever can."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from outboard.cost.money import from_usd
from outboard.i18n import _
from outboard.planner.judge import Study
from outboard.planner.report.curves import Point, over_time, over_use
from outboard.types.plan import Plan

Spec = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
WIDTH, HEIGHT = 460, 240
COLOURS = ["#0b6e99", "#c2571a", "#4d7c0f", "#7c3aed"]
CAUSES = 8


def charts(found: Study, plan: Plan) -> list[Spec]:
    """Return every chart that the plan has data for."""
    made = [
        curves(over_time(found, plan), _("Cost over time, the machine sold at its end"), _("months"), plan),
        curves(
            over_use(found, plan), _("Cost over the horizon by use: they cross at the break-even"), _("h/week"), plan
        ),
        front(plan),
        sensitivity(plan),
    ]
    return [spec for spec in made if spec["data"]["values"]]


def curves(points: Sequence[Point], title: str, unit: str, plan: Plan) -> Spec:
    """Return two curves with their 80 % bands; the marks tell the break-even and the stated use."""
    x = {"field": "x", "type": "quantitative", "title": unit}
    colour = {"field": "side", "type": "nominal", "title": None, "legend": _legend()}
    money = {"type": "quantitative", "title": plan.currency}
    return {
        **_frame(title, _("Two curves, bought and rented, each with its 80 % band.")),
        "data": {"values": [asdict(point) for point in points]},
        "encoding": {"x": x, "color": {**colour, "scale": {"range": COLOURS}}},
        "layer": [
            {
                "mark": {"type": "area", "opacity": 0.2},
                "encoding": {"y": {"field": "low", **money}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {"y": {"field": "middle", **money}, "strokeDash": {**colour, "legend": None}},
            },
        ],
    }


def front(plan: Plan) -> Spec:
    """Return the feasible places by time and money, the Pareto front named."""
    rows = [
        {
            "place": place.label,
            "hours": place.hours_per_job.p50,
            "cost": max(from_usd(place.cost_over_horizon.p50, plan.currency), 0.0),
            "front": place.pareto,
        }
        for place in plan.places
        if place.feasible and place.hours_per_job and place.cost_over_horizon
    ]
    return {
        **_frame(
            _("Places by time and money; the front in colour"), _("Feasible places; none beats the front in both.")
        ),
        "data": {"values": rows},
        "encoding": {
            "x": {"field": "hours", "type": "quantitative", "title": _("hours until a job is done"), "scale": _log()},
            "y": {"field": "cost", "type": "quantitative", "title": plan.currency, "scale": _money_scale(rows)},
        },
        "layer": [
            {
                "mark": {"type": "point", "filled": True, "size": 40},
                "encoding": {
                    "color": {"condition": {"test": "datum.front", "value": COLOURS[1]}, "value": "#999999"},
                    "tooltip": [{"field": "place"}, {"field": "hours"}, {"field": "cost"}],
                },
            },
            {
                "transform": [{"filter": "datum.front"}],
                "mark": {"type": "line", "interpolate": "step-after", "color": COLOURS[1], "strokeDash": [3, 3]},
            },
        ],
    }


def sensitivity(plan: Plan) -> Spec:
    """Return how far each input moves the break-even, widest first; a bar that ends in never ends at the week's 168."""
    turn = plan.break_even
    most = 168.0
    rows = [
        {
            "cause": flip.label,
            "low": min(_or(flip.at_low, most), _or(flip.at_high, most)),
            "high": max(_or(flip.at_low, most), _or(flip.at_high, most)),
            "flips": flip.flips,
        }
        for flip in (turn.sensitivity if turn else ())[:CAUSES]
    ]
    return {
        **_frame(_("What moves the break-even; in colour what alone flips the decision"), _("One bar for each input.")),
        "data": {"values": rows},
        "mark": "bar",
        "encoding": {
            "y": {"field": "cause", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 260}},
            "x": {"field": "low", "type": "quantitative", "title": _("break-even, h/week (168: never)")},
            "x2": {"field": "high"},
            "color": {"condition": {"test": "datum.flips", "value": COLOURS[1]}, "value": COLOURS[0]},
        },
    }


def _frame(title: str, description: str) -> Spec:
    return {
        "$schema": SCHEMA,
        "title": {"text": title, "anchor": "start"},
        "description": description,
        "width": WIDTH,
        "height": HEIGHT,
    }


def _legend() -> Spec:
    return {"orient": "bottom", "direction": "vertical", "labelLimit": WIDTH}


def _log() -> Spec:
    return {"type": "log", "nice": False}


def _money_scale(rows: Sequence[Spec]) -> Spec:
    """Logarithmic, unless something is free."""
    return _log() if all(row["cost"] > 0 for row in rows) else {"type": "symlog", "constant": 10}


def _or(value: float | None, never: float) -> float:
    return never if value is None or not math.isfinite(value) else value
