"""A plan as people read it: verdict, table, break-even, and one line on what was hidden."""

import math
from collections import Counter

from rich.table import Table
from rich.text import Text

from outboard.cli.output import show
from outboard.cli.render import numbers
from outboard.cost.money import from_usd
from outboard.i18n import _
from outboard.planner.answer import Answer
from outboard.planner.sentences import reason_name
from outboard.planner.words import duration
from outboard.types.plan import Interval, Plan, PlanPlace, Portfolio

MOST_NOTES = 3  # all of them: --json
NAMED = ("owned:", "staged:", "quote:", "cluster:")
MOST_NAMED = 6


def render(answer: Answer, limit: int | None) -> None:
    """Print the answer."""
    if len(answer.plans) > 1 and answer.portfolio is not None:
        _together(answer, answer.portfolio)
    for plan in answer.plans:
        _one(plan, limit, titled=len(answer.plans) > 1)


def _one(plan: Plan, limit: int | None, titled: bool) -> None:
    if titled:
        show("", Text(plan.job, "bold"))
    show(Text(numbers.prose(plan.recommendation.sentence), "bold"))
    for note in _notes(plan):
        show(Text(_("Mind: {note}").format(note=note)))
    shown = [place for place in plan.places if place.feasible][:limit]
    if shown:
        show("", _table(plan, shown))
    for line in _named(plan, shown):
        show(line)
    for line in (*plan.recommendation.changes[1:], *_waiting(plan)):
        show("", numbers.prose(line)) if line is plan.recommendation.changes[1:2] else show(numbers.prose(line))
    show("", _hidden(plan, len(shown)))


def _notes(plan: Plan) -> tuple[str, ...]:
    """What to know about the place that is recommended."""
    chosen = next((place for place in plan.places if place.id == plan.recommendation.id), None)
    return chosen.notes[:MOST_NOTES] if chosen else ()


def _named(plan: Plan, shown: list[PlanPlace]) -> list[str]:
    """Places that the person named and the table does not hold: what they cost, or what speaks against them."""
    left = [place for place in plan.places if place.id.startswith(NAMED) and place not in shown]
    lines: list[str] = []
    for place in left[:MOST_NAMED]:
        if place.reasons:
            text = _("Out: {label}: {reason}.").format(label=place.label, reason=place.reasons[0].text.rstrip("."))
        else:
            text = _("Also possible: {label}: {hours} a job, {money} {currency} in all.").format(
                label=place.label,
                hours=_span_of_time(place.hours_per_job),
                money=_span_of_money(place.cost_over_horizon, plan.currency),
                currency=plan.currency,
            )
        lines.append(numbers.prose(text))
    return lines


def _together(answer: Answer, found: Portfolio) -> None:
    table = _frame()
    table.add_column(_("job"), overflow="fold")
    table.add_column(_("where"), overflow="fold")
    table.add_column(_("a job"), justify="right", no_wrap=True)
    table.add_column(_("its cost"), justify="right", no_wrap=True)
    for one in found.assignment:
        cost = amount(one.cost_over_horizon, answer.me.currency)
        table.add_row(one.job, one.label, _span_of_time(one.hours_per_job), cost)
    show(Text(numbers.prose(found.sentence), "bold"), "", table)


def _table(plan: Plan, places: list[PlanPlace]) -> Table:
    months = f"{12 * plan.horizon_years:.0f}"
    table = _frame()
    table.add_column("", no_wrap=True)
    table.add_column(_("place"), overflow="fold")
    table.add_column(_("a job takes"), justify="right", no_wrap=True)
    table.add_column(_("a job costs"), justify="right", no_wrap=True)
    table.add_column(_("{months} months, {currency}").format(months=months, currency=plan.currency), justify="right")
    for place in places:
        table.add_row(
            _mark(plan, place),
            place.label,
            _span_of_time(place.hours_per_job),
            amount(place.cost_per_job.p50, plan.currency) if place.cost_per_job else numbers.UNKNOWN,
            _span_of_money(place.cost_over_horizon, plan.currency),
        )
    return table


def _frame() -> Table:
    return Table(box=None, pad_edge=False)


def _mark(plan: Plan, place: PlanPlace) -> str:
    if place.id == plan.recommendation.id:
        return "✓"
    return "·" if place.pareto else ""


def _waiting(plan: Plan) -> list[str]:
    turn = plan.break_even
    if turn is None:
        return [_("No break-even: {why}.").format(why=plan.no_break_even)]
    if turn.price_of_waiting is None or math.isinf(turn.hours_per_week.p50):
        return []
    found, saves = turn.price_of_waiting, turn.price_of_waiting.p50 < 0
    if saves:
        found = Interval(-found.p90, -found.p50, -found.p10)
    form = _("Renting for six months and deciding then costs {money} more than buying now.")
    if saves:
        form = _("Renting for six months and deciding then saves {money} against buying now.")
    return [form.format(money=f"{_span_of_money(found, plan.currency)} {plan.currency}")]


def _hidden(plan: Plan, shown: int) -> str:
    feasible = sum(place.feasible for place in plan.places)
    reasons = Counter(kind for place in plan.places for kind in {reason.kind for reason in place.reasons})
    said = ", ".join(f"{reason_name(kind)} {count}" for kind, count in reasons.most_common())
    form = _(
        "Shown {shown} of {feasible} feasible places; · marks those that no other beats in cost and time; {prices}."
    )
    line = form.format(shown=shown, feasible=feasible, prices=plan.prices)
    out = len(plan.places) - feasible
    if out:
        line += " " + _("Not feasible: {out} ({reasons}; each with its reason: --json).").format(out=out, reasons=said)
    return line


def _span_of_time(found: Interval | None) -> str:
    return numbers.UNKNOWN if found is None else numbers.prose(duration(found.p50))


def _span_of_money(found: Interval | None, currency: str) -> str:
    if found is None:
        return numbers.UNKNOWN
    middle, low, high = (amount(value, currency) for value in (found.p50, found.p10, found.p90))
    return middle if low == high else _("{value} ({low} to {high})").format(value=middle, low=low, high=high)


def amount(usd: float, currency: str) -> str:
    """An amount without its currency: cents below twenty, whole above."""
    if not math.isfinite(usd):
        return _("never")
    value = from_usd(usd, currency)
    return numbers.prose(f"{value:.2f}" if abs(value) < 20 else f"{value:.0f}")
