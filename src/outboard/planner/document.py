"""Plans as plain dictionaries, ready for JSON: US dollars, hours, stable keys. What is infinite is null: never."""

import math
from collections.abc import Sequence
from typing import Any

from outboard.cost.money import exchange_rates
from outboard.types.plan import Interval, Plan, PlanBreakEven, PlanPlace, Portfolio, ServicePrice

Document = dict[str, Any]
MONEY = "USD"


def document(plans: Sequence[Plan], portfolio: Portfolio | None) -> Document:
    """Return one document for one job or several.

    The keys at the top are those of the first job, and for several jobs the sentence is that of all together.
    """
    first = plans[0]
    single = len(plans) == 1
    recommendation = _recommendation(first)
    if not single and portfolio is not None:
        recommendation = {**recommendation, "sentence": portfolio.sentence}
    return {
        "currency": MONEY,
        "said_in": {"currency": first.currency, "usd": exchange_rates()[first.currency].value},
        "horizon_years": first.horizon_years,
        "goal": first.goal,
        "prices": first.prices,
        "recommendation": recommendation,
        "places": [_place(place) for place in first.places],
        "break_even": _break_even(first.break_even, first.no_break_even),
        "portfolio": _portfolio(portfolio),
        "jobs": [_job(plan, single) for plan in plans],
        "assumptions": list(first.assumptions),
    }


def _job(plan: Plan, single: bool) -> Document:
    """One job; a single one has its places at the top of the document already."""
    return {
        "job": plan.job,
        "workload": plan.workload,
        "runs_per_month": plan.runs_per_month,
        "recommendation": _recommendation(plan),
        "break_even": _break_even(plan.break_even, plan.no_break_even),
        **({"service": _service(plan.service)} if plan.service else {}),
        "places": [] if single else [_place(place) for place in plan.places],
    }


def _service(found: ServicePrice) -> Document:
    return {
        "tokens_per_day": found.tokens_per_day,
        "cost_per_million_tokens": interval(found.per_million),
        "api_per_million_tokens": found.api_per_million,
        "api_over_horizon": found.api_over_horizon,
        "pays_from_tokens_per_day": found.pays_from,
        "most_tokens_per_day": found.most_per_day,
    }


def _recommendation(plan: Plan) -> Document:
    said = plan.recommendation
    return {"id": said.id, "place": said.place, "sentence": said.sentence, "changes": list(said.changes)}


def _place(place: PlanPlace) -> Document:
    return {
        "id": place.id,
        "place": place.place,
        "kind": place.kind,
        "label": place.label,
        "provider": place.provider,
        "feasible": place.feasible,
        "reasons": [{"kind": reason.kind, "text": reason.text} for reason in place.reasons],
        "hours_per_job": interval(place.hours_per_job),
        "cost_per_job": interval(place.cost_per_job),
        "cost_over_horizon": interval(place.cost_over_horizon),
        "upfront": number(place.upfront),
        "batch": place.batch,
        "load": number(place.load),
        "pareto": place.pareto,
        "notes": list(place.notes),
    }


def _break_even(found: PlanBreakEven | None, why_not: str) -> Document:
    """Always the same keys; without a break-even they are null and ``why_not`` says why."""
    if found is None:
        nothing = dict.fromkeys(("own", "rent", "stated_hours_per_week", "probability_never"))
        return {
            **nothing,
            "hours_per_week": interval(None),
            "jobs_per_month": interval(None),
            "probability_at_stated_use": None,
            "payback_months": interval(None),
            "price_of_waiting": None,
            "sensitivity": [],
            "why_not": why_not,
        }
    return {
        "own": found.own,
        "rent": found.rent,
        "stated_hours_per_week": number(found.stated_hours_per_week),
        "probability_never": found.probability_never,
        "hours_per_week": interval(found.hours_per_week),
        "jobs_per_month": interval(found.jobs_per_month),
        "probability_at_stated_use": found.probability_at_stated_use,
        "payback_months": interval(found.payback_months),
        "price_of_waiting": interval(found.price_of_waiting) if found.price_of_waiting else None,
        "sensitivity": [
            {
                "cause": flip.cause,
                "label": flip.label,
                "at_low": flip.at_low,
                "at_high": flip.at_high,
                "swing": _swing(flip.at_low, flip.at_high),
                "flips": flip.flips,
            }
            for flip in found.sensitivity
        ],
        "why_not": "",
    }


def _swing(low: float | None, high: float | None) -> float | None:
    return None if low is None or high is None else abs(high - low)


def _portfolio(found: Portfolio | None) -> Document | None:
    if found is None:
        return None
    return {
        "assignment": [
            {
                "job": one.job,
                "id": one.id,
                "place": one.place,
                "label": one.label,
                "hours_per_job": interval(one.hours_per_job),
                "cost_over_horizon": number(one.cost_over_horizon),
            }
            for one in found.assignment
        ],
        "gap": number(found.gap),
        "cost_over_horizon": interval(found.cost_over_horizon),
        "all_cloud": interval(found.all_cloud) if found.all_cloud else None,
        "all_own": interval(found.all_own) if found.all_own else None,
        "unplaced": list(found.unplaced),
        "sentence": found.sentence,
    }


def interval(found: Interval | None) -> Document:
    """Return the three numbers, null where unknown or never."""
    if found is None:
        return {"p10": None, "p50": None, "p90": None}
    return {"p10": number(found.p10), "p50": number(found.p50), "p90": number(found.p90)}


def number(value: float | None) -> float | None:
    """Return a number that JSON can hold."""
    return value if value is not None and math.isfinite(value) else None
