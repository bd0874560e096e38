"""The charts of reports and of the command line, dressed for the page: its colours, its width, its language."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from outboard.cli.render.numbers import prose
from outboard.i18n import _
from outboard.planner.answer import Answer
from outboard.planner.pictures import sensitivity
from outboard.planner.report import charts as plans
from outboard.planner.report.curves import over_time, over_use
from outboard.planner.report.write import svg
from outboard.types.plan import Plan
from outboard.web import spoken
from outboard.web.fit import Fit

Spec = dict[str, Any]
LINE = 26
DRAWN_WIDTH = 640  # where the server draws
LIGHT = {"ink": "#1d2733", "quiet": "#6b7785", "grid": "#dde2e8", "one": "#0b6e99", "two": "#b4501a", "dot": "#9aa5b1"}
DARK = {"ink": "#e4e9ee", "quiet": "#93a0ad", "grid": "#323c46", "one": "#5bb7dc", "two": "#f0965c", "dot": "#66727e"}
IN_PAGE = {name: f"var(--{name})" for name in LIGHT}
ROLES = {"#0b6e99": "one", "#c2571a": "two", "#999999": "dot", "#555555": "quiet"}


@dataclass(frozen=True)
class Chart:
    """A picture with its name, what it says in one line, and its numbers as a table."""

    name: str
    title: str
    said: str
    spec: Spec
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def data(self) -> str:
        """The specification for the browser, fit to stand between single quotes."""
        text = json.dumps(dressed(self.spec, IN_PAGE, self.said), separators=(",", ":"))
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("'", "&#39;")

    def drawn(self, dark: bool) -> str:
        """The picture as SVG, drawn here."""
        return svg({**dressed(self.spec, DARK if dark else LIGHT, self.said), "width": DRAWN_WIDTH})


def of_fit(fit: Fit) -> dict[str, Chart]:
    """The rate against the link."""
    if fit.link is None:
        return {}
    unit = fit.here.step.throughput.unit
    spec = sensitivity.chart(fit.link, unit, "")
    rows = tuple((one.label, spoken.plain(one.bandwidth / 1e9), spoken.plain(one.rate)) for one in fit.link.links)
    said = _knee(fit)
    return {"link": Chart("link", _("Rate against the link"), said, spec, (_("link"), "GB/s", unit), rows)}


def _knee(fit: Fit) -> str:
    if fit.link is None or fit.link.knee is None:
        return _("The link costs less than 5 % at any bandwidth.")
    return _("From {rate} GB/s on, the link costs less than 5 %.").format(rate=spoken.plain(fit.link.knee / 1e9))


def of_plan(answer: Answer) -> dict[str, Chart]:
    """Cost over time and over use, the front, and what matters most; those that there are numbers for."""
    study, plan = answer.studies[0], answer.plans[0]
    currency = plan.currency
    found: dict[str, Chart] = {}
    # A browser's own number format is not that of the page, so that each table is written here.
    for name, title, points, unit in (
        ("time", _("Cost over time, the machine sold at its end"), over_time(study, plan), _("months")),
        ("use", _("Cost by hours of use"), over_use(study, plan), _("h/week")),
    ):
        spec = plans.curves(points, title, unit, plan)
        if name == "use":
            spec["layer"] += _marks(plan, points)
        heads = (
            unit,
            *(text for side in _sides(points) for text in (side, _("80 % of cases"))),
        )
        found[name] = Chart(name, title, spec["description"], spec, heads, _curve_rows(points, currency))
    spec = plans.front(plan)
    rows = [row for row in spec["data"]["values"] if row["front"]]
    found["front"] = Chart(
        "front",
        _("Places by time and money"),
        _("Each point is a feasible place; no other beats those in colour in both time and money."),
        spec,
        (_("place"), _("a job takes"), _("over the horizon")),
        tuple((row["place"], spoken.hours(row["hours"]), _amount(row["cost"], currency)) for row in rows),
    )
    spec = plans.sensitivity(plan)
    spec["height"] = LINE * max(len(spec["data"]["values"]), 1)  # a bar is as high as a line of text
    spec["encoding"]["x"]["title"] = _("h/week")
    spec["encoding"]["y"]["axis"]["labelLimit"] = 210
    found["matters"] = Chart(
        "matters",
        _("What matters most"),
        _("How far each input moves the break-even; those in colour flip the decision alone."),
        spec,
        (_("cause"), _("lowest, h/week"), _("highest, h/week"), _("flips")),
        tuple(
            (row["cause"], _week(row["low"]), _week(row["high"]), _("yes") if row["flips"] else _("no"))
            for row in spec["data"]["values"]
        ),
    )
    return {name: chart for name, chart in found.items() if chart.spec["data"]["values"]}


def _marks(plan: Plan, points: Sequence[Any]) -> list[Spec]:
    """Where the curves cross, and where the person stands, as upright lines."""
    turn = plan.break_even
    if turn is None or not points:
        return []
    reach = max(one.x for one in points)
    both = ((turn.hours_per_week.p50, _("break-even"), "#c2571a"), (turn.stated_hours_per_week, _("you"), "#555555"))
    layers: list[Spec] = []
    for line, (at, label, colour) in enumerate(both):
        if at > reach:
            continue
        x = {"field": "x", "type": "quantitative"}
        data = {"values": [{"x": at, "label": label}]}
        fixed = {"color": {"value": colour}, "y": {"value": 0}}
        layers.append(
            {
                "data": data,
                "mark": {"type": "rule", "strokeDash": [4, 3]},
                "encoding": {"x": x, "color": fixed["color"]},
            }
        )
        text = {"type": "text", "align": "left", "dx": 4, "dy": 8 + 14 * line, "fontSize": 11}
        layers.append({"data": data, "mark": text, "encoding": {"x": x, "text": {"field": "label"}, **fixed}})
    return layers


def _week(value: float) -> str:
    return _("never") if value >= 168.0 else spoken.plain(value)


def _sides(points: Sequence[Any]) -> list[str]:
    return list(dict.fromkeys(point.side for point in points))


def _curve_rows(points: Sequence[Any], currency: str) -> tuple[tuple[str, ...], ...]:
    rows: dict[float, list[str]] = {}
    for one in points:
        low, high = _amount(one.low, currency), _amount(one.high, currency)
        rows.setdefault(one.x, [spoken.plain(one.x)]).extend((_amount(one.middle, currency), f"{low} – {high}"))
    return tuple(tuple(row) for row in rows.values())


def _amount(value: float, currency: str) -> str:
    """An amount that is in the person's currency already."""
    from babel.numbers import format_currency

    return format_currency(float(f"{value:.4g}"), currency, locale=spoken.locale())


def dressed(spec: Spec, colours: dict[str, str], said: str) -> Spec:
    """The specification in ``colours``, without its title, which the page sets in its own type."""
    made = _recoloured({key: value for key, value in spec.items() if key != "title"}, colours)
    made |= {"description": said, "width": "container", "background": "transparent"}
    made["autosize"] = {"type": "fit-x", "contains": "padding"}
    text = {"labelColor": colours["ink"], "titleColor": colours["quiet"], "labelFontSize": 12, "titleFontSize": 12}
    made["config"] = {
        "font": "system-ui, sans-serif",
        "view": {"stroke": None},
        "axis": {
            **text,
            "titleFontWeight": "normal",
            "gridColor": colours["grid"],
            "domainColor": colours["quiet"],
            "tickColor": colours["quiet"],
        },
        "legend": {**text, "symbolOpacity": 1},
        "text": {"color": colours["ink"]},
        "rule": {"color": colours["quiet"]},
    }
    return made


def _recoloured(value: Any, colours: dict[str, str]) -> Any:
    if isinstance(value, dict):
        made = {key: _recoloured(inner, colours) for key, inner in value.items()}
        return made | {"label": prose(made["label"])} if isinstance(made.get("label"), str) else made
    if isinstance(value, list):
        return [_recoloured(inner, colours) for inner in value]
    return colours[ROLES[value]] if isinstance(value, str) and value in ROLES else value
