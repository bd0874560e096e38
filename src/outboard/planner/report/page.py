"""The report as one HTML page: verdict, charts with their numbers, places, reasons. No script, no network."""

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path

from outboard.cost.money import from_usd
from outboard.i18n import _
from outboard.planner.answer import Answer
from outboard.planner.report.charts import Spec
from outboard.planner.sentences import reason_name
from outboard.planner.words import duration
from outboard.types.plan import Interval, Plan, PlanPlace

STYLE = Path(__file__).with_name("style.css")
PLACES = 25


def page(answer: Answer, drawn: Sequence[Sequence[tuple[Spec, str]]]) -> str:
    """Return the page; ``drawn`` holds for each plan its charts and their SVG."""
    body = [_portfolio(answer)] if len(answer.plans) > 1 else []
    body += [_plan(plan, charts) for plan, charts in zip(answer.plans, drawn, strict=True)]
    title, language = ", ".join(plan.job for plan in answer.plans), _("en")
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="{escape(language)}"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Outboard: {escape(title)}</title>",
            f"<style>{STYLE.read_text(encoding='utf-8')}</style></head><body><main>",
            *body,
            "</main></body></html>",
            "",
        ]
    )


def _portfolio(answer: Answer) -> str:
    found = answer.portfolio
    if found is None:
        return ""
    rows = [
        (one.job, one.label, duration(one.hours_per_job.p50), _amount(one.cost_over_horizon, answer.me.currency))
        for one in found.assignment
    ]
    return f"<h1>{escape(found.sentence)}</h1>" + _table((_("job"), _("where"), _("a job"), _("its cost")), rows)


def _plan(plan: Plan, charts: Sequence[tuple[Spec, str]]) -> str:
    places, granted = _("Places"), _("Taken for granted")
    said = "".join(f"<p>{escape(line)}</p>" for line in plan.recommendation.changes[1:])
    return "\n".join(
        [
            f"<section><h2>{escape(plan.job)}</h2>",
            f'<p class="verdict">{escape(plan.recommendation.sentence)}</p>{said}',
            *(_chart(spec, svg) for spec, svg in charts),
            f"<h3>{escape(places)}</h3>",
            _places(plan),
            _infeasible(plan),
            f"<h3>{escape(granted)}</h3><ul>",
            *(f"<li>{escape(line)}</li>" for line in (*plan.assumptions, plan.prices)),
            "</ul></section>",
        ]
    )


def _chart(spec: Spec, svg: str) -> str:
    """Return a picture with its numbers folded below, and the specification for whoever wants to draw it again."""
    values = spec["data"]["values"]
    rows = [tuple(_shown(value) for value in row.values()) for row in values]
    numbers = _("Numbers")
    # "</" would end the element early.
    source = json.dumps(spec).replace("</", "<\\/")
    return "\n".join(
        [
            f'<figure role="img" aria-label="{escape(spec["description"])}">{svg}</figure>',
            f"<details><summary>{escape(numbers)}</summary>{_table(tuple(values[0]), rows)}</details>",
            f'<script type="application/json" class="vega-lite">{source}</script>',
        ]
    )


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _places(plan: Plan) -> str:
    shown = [place for place in plan.places if place.feasible][:PLACES]
    heads = (_("place"), _("a job takes"), _("a job costs"), _("over the horizon"))
    return _table(heads, [_row(plan, place) for place in shown])


def _row(plan: Plan, place: PlanPlace) -> tuple[str, ...]:
    hours = place.hours_per_job
    return (
        place.label,
        duration(hours.p50) if hours else "?",
        _span(place.cost_per_job, plan.currency),
        _span(place.cost_over_horizon, plan.currency),
    )


def _infeasible(plan: Plan) -> str:
    out = [place for place in plan.places if not place.feasible]
    rows = [(one.label, "; ".join(f"{reason_name(r.kind)}: {r.text}" for r in one.reasons)) for one in out]
    summary = _("{count} places that are not feasible, each with its reason").format(count=len(out))
    heads = (_("place"), _("reason"))
    return f"<details><summary>{escape(summary)}</summary>{_table(heads, rows)}</details>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _span(found: Interval | None, currency: str) -> str:
    if found is None:
        return "?"
    form = _("{value} ({low} to {high})")
    low, middle, high = (_amount(value, currency) for value in (found.p10, found.p50, found.p90))
    return form.format(value=middle, low=low, high=high)


def _amount(usd: float, currency: str) -> str:
    value = from_usd(usd, currency)
    return f"{value:.2f} {currency}" if abs(value) < 20 else f"{value:,.0f} {currency}"
