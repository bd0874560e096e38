"""The verdict as a person would say it: what to do, what it costs, when it is done, what would change the answer."""

import math
from collections.abc import Sequence

from outboard.cost.arrays import MONTHS_PER_YEAR
from outboard.i18n import _
from outboard.planner.circumstances import Circumstances
from outboard.planner.judge import Judged, Study
from outboard.planner.words import duration, money
from outboard.types.plan import BOUGHT, RENTED, Interval, PlanBreakEven

FREE = 0.005  # less than a cent
SURE = 0.99  # of its never paying
RARELY = 1.0 / 12.0  # runs a month below which a job counts as one of a kind


def verdict(found: Study, chosen: Judged | None, changes: Sequence[str]) -> str:
    """Return the whole verdict in one paragraph."""
    if chosen is None:
        return nothing(found)
    parts = [_do(chosen), _costs(found, chosen), _done(chosen, found)]
    return " ".join([f"{parts[0]}: {parts[1]}; {parts[2]}.", *changes[:1]])


def nothing(found: Study) -> str:
    """Return what stands in the way where nothing is feasible: the reason that most places share."""
    counts: dict[str, int] = {}
    for one in found.judged:
        for reason in one.reasons:
            counts[reason.kind] = counts.get(reason.kind, 0) + 1
    most = sorted(counts, key=lambda kind: -counts[kind])[:3]
    shown = ", ".join(f"{reason_name(kind)} ({counts[kind]})" for kind in most)
    close = min(found.judged, key=lambda one: (len(one.reasons), one.total), default=None)
    text = _("Nothing is feasible among {count} places: {reasons}.").format(count=len(found.judged), reasons=shown)
    if close is None or not close.reasons:
        return text
    least = _("Closest: {label}; {reason}.")
    return f"{text} " + least.format(label=close.candidate.label, reason=close.reasons[0].text)


def _do(chosen: Judged) -> str:
    label = chosen.candidate.label
    kind = chosen.candidate.kind
    if kind in BOUGHT:
        return _("Buy {label}").format(label=label)
    if kind in RENTED:
        return _("Rent {label}").format(label=label)
    return _("Use {label}").format(label=label)


def _costs(found: Study, chosen: Judged) -> str:
    me, total, each = found.me, chosen.over_horizon, chosen.per_job
    assert total is not None and each is not None
    over = Interval(total.p10, total.p50, total.p90)
    months = me.horizon * MONTHS_PER_YEAR
    whole = _("{money} over {months:.0f} months").format(money=spread(over, me), months=months)
    if found.use.jobs_per_month < RARELY or not math.isfinite(each.p50):
        return spread(over, me) if found.use.jobs_per_month else whole
    if over.p90 < FREE:
        return _("at no cost")
    per = spread(Interval(each.p10, each.p50, each.p90), me)
    return _("{each} a run, {total} over {months:.0f} months").format(
        each=per, total=money(total.p50, me), months=months
    )


def _done(chosen: Judged, found: Study) -> str:
    assert chosen.cost is not None and chosen.elapsed is not None
    hours = chosen.elapsed
    if found.asked.service is not None:
        form = _("a day's tokens take {hours} ({low} to {high})")
        if chosen.candidate.kind in RENTED and found.asked.service.always_on:
            return _("it answers at any time")
        return form.format(hours=duration(hours.p50), low=duration(hours.p10), high=duration(hours.p90))
    text = _("done in {hours} ({low} to {high})").format(
        hours=duration(hours.p50), low=duration(hours.p10), high=duration(hours.p90)
    )
    deadline = found.asked.deadline(found.me)
    if math.isfinite(deadline) and hours.p90 > deadline:
        late = float((chosen.cost.hours > deadline).mean())
        text += ", " + _("late with a probability of {late:.0f} %").format(late=100 * late)
    return text


def spread(found: Interval, me: Circumstances) -> str:
    """Return an amount with its 80 % interval."""
    if abs(found.p90 - found.p10) < FREE:
        return money(found.p50, me)
    return _("{value} ({low} to {high})").format(
        value=money(found.p50, me), low=money(found.p10, me), high=money(found.p90, me)
    )


def changes(found: Study, front: Sequence[Judged], chosen: Judged | None, turn: PlanBreakEven | None) -> list[str]:
    """Return what would change the answer, most important first."""
    said = [*([_turning(turn)] if turn else []), *_no_box(found)]
    if chosen is not None and front:
        said += _ends(found, front, chosen)
    if turn is not None and (flips := [flip.label for flip in turn.sensitivity if flip.flips][:3]):
        said.append(_("Alone would flip buying against renting: {causes}.").format(causes=", ".join(flips)))
    return said


def _no_box(found: Study) -> list[str]:
    """Say so where the computer drives no external GPU at all."""
    boxes = [one for one in found.judged if one.candidate.kind == "egpu"]
    against = [[reason.text for reason in one.reasons if reason.kind == "compatibility"] for one in boxes]
    if not boxes or not all(against):
        return []
    common = set(against[0]).intersection(*against[1:])
    return [_("No external GPU: {reason}").format(reason=sorted(common)[0])] if common else []


def _turning(turn: PlanBreakEven) -> str:
    own, stated = turn.own_label, _hours(turn.stated_hours_per_week)
    if turn.probability_never > SURE:
        text = _("Buying {own} does not pay at any use against renting {rent}.")
    elif math.isinf(turn.hours_per_week.p50):
        text = _("Buying {own} rarely pays against renting {rent}: at {stated} a week, in {chance:.0f} % of cases.")
    else:
        text = _("Buying {own} beats renting {rent} from {hours} a week; at {stated}, in {chance:.0f} % of cases.")
    return text.format(
        own=own,
        rent=turn.rent_label,
        hours=_hours(turn.hours_per_week.p50),
        stated=stated,
        chance=100 * turn.probability_at_stated_use,
    )


def _hours(value: float) -> str:
    return _("{hours:.2g} h").format(hours=value) if value < 10 else _("{hours:.0f} h").format(hours=value)


def _ends(found: Study, front: Sequence[Judged], chosen: Judged) -> list[str]:
    said: list[str] = []
    for one, form in (
        (front[0], _("Cheapest would be {label}: {money} over the horizon, {hours}.")),
        (front[-1], _("Soonest would be {label}: {hours}, {money} over the horizon.")),
    ):
        if one is not chosen:
            text = form.format(label=one.candidate.label, money=money(one.total, found.me), hours=duration(one.hours))
            said.append(text)
    return said


def reason_name(kind: str) -> str:
    """Return a reason in the language in use."""
    return {
        "memory": _("memory"),
        "compatibility": _("compatibility"),
        "budget": _("budget"),
        "deadline": _("deadline"),
        "data may not leave": _("data may not leave"),
        "must be portable": _("must be portable"),
        "hours": _("hours"),
        "price unknown": _("price unknown"),
        "price not believed": _("price not believed"),
        "speed unknown": _("speed unknown"),
        "access": _("access"),
    }[kind]
