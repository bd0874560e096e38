"""A service becomes hours of work a day at each place, and what must be there all day beside them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from outboard.i18n import _
from outboard.planner.forecasts import Forecast
from outboard.planner.serving.fit import Served, best
from outboard.planner.serving.service import Service
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Place
from outboard.types.money import Cluster, Purchase, Quota, Rent
from outboard.types.plan import Reason
from outboard.uncertainty import Cause, band
from outboard.units import format_bytes

if TYPE_CHECKING:
    from outboard.planner.candidates import Candidate
    from outboard.planner.jobs import Asked

HOUR, DAY = 3600.0, 24.0
WEEK = 168.0
FORECAST = "Outboard's forecast: tokens / rates of reading and writing (docs/methodology/serving.md)"
SPREAD = 1.2815515655446004  # standard deviations of the ends of an 80 % band


def daily(asked: "Asked", places: Sequence[Place]) -> list[Forecast]:
    """Hours of work a day at each of ``places``, in the widest quantisation that fits and is quick enough."""
    assert asked.service is not None
    return [_one(asked.service, place) for place in places]


def _one(service: Service, place: Place) -> Forecast:
    one = chosen(service, place)
    if not one.fits:
        text = _("needs {needs} in {quantisation}, has {has}").format(
            needs=format_bytes(one.required), quantisation=one.quantisation, has=format_bytes(one.room)
        )
        return Forecast(None, None, Reason("memory", text))
    if one.speed is None:
        why = _("no rates of language models are known of {device}").format(device=place.device.id)
        return Forecast(None, None, Reason("speed unknown", why))
    hours = hours_a_day(service, one)
    note = _("{model} in {quantisation}, {rate:.0f} tokens/s for one user, {all:.0f} for {users} at once").format(
        model=one.model.name,
        quantisation=one.quantisation,
        rate=one.speed.decode,
        all=one.speed.together,
        users=service.work.users,
    )
    return Forecast(hours, service.work.users, _too_slow(service, one, hours), (note,))


def chosen(service: Service, place: Place) -> Served:
    """The widest quantisation that fits with all users and gives each the rate that was asked for."""
    mixes = service.source.mixes(service.names)
    one = best(service.source.model, place, service.work, mixes)
    for mix in mixes[mixes.index(one.weights) + 1 if one.weights in mixes else 1 :]:
        if one.fits and one.speed is not None and each(service, one) < service.rate:
            one = best(service.source.model, place, service.work, [mix])
    return one


def each(service: Service, one: Served) -> float:
    """What each user gets while all of them are served [tokens/s]."""
    return one.speed.together / service.work.users if one.speed else 0.0


def hours_a_day(service: Service, one: Served) -> Fact:
    """Reading and writing what a day brings, all users at once [h]."""
    assert one.speed is not None
    written = service.written / one.speed.together / HOUR
    read = service.read / one.speed.prefill / HOUR
    causes = [
        Cause(_("rate of writing"), _sigma(one.speed.decode_spread) * written / (written + read)),
        Cause(_("rate of reading"), _sigma(one.speed.prefill_spread) * read / (written + read)),
    ]
    spread = band(written + read, causes)
    return Fact(written + read, "h", FORECAST, Evidence.FITTED, low=spread.low, high=spread.high)


def _sigma(spread: float) -> float:
    return math.log(spread) / SPREAD


def _too_slow(service: Service, one: Served, hours: Fact) -> Reason | None:
    if each(service, one) < service.rate:
        text = _("gives each of {users} users {rate:.1f} tokens/s, not {wanted:g}")
        return Reason("hours", text.format(users=service.work.users, rate=each(service, one), wanted=service.rate))
    if hours.value > DAY:
        text = _("a day's tokens take it {hours:.0f} h")
        return Reason("hours", text.format(hours=hours.value))
    return None


def kept_on(asked: "Asked", candidates: "Sequence[Candidate]") -> "list[Candidate]":
    """The candidates as a service that must answer at any time uses them: own machines are never switched off."""
    if asked.service is None or not asked.service.always_on:
        return list(candidates)
    return [_kept_on(one) for one in candidates]


def _kept_on(one: "Candidate") -> "Candidate":
    if isinstance(one.terms, Purchase):
        later = tuple((begins, _kept_on(stage)) for begins, stage in one.later)
        return replace(one, terms=replace(one.terms, on_hours_week=WEEK), later=later)
    if isinstance(one.terms, Quota | Cluster):
        return one.with_problem("hours", _("its sessions end; a service must answer at any time"))
    if one.kind == "spot":
        return one.with_problem("hours", _("it may be taken away at any time; a service must answer"))
    return one


def paid_hours(asked: "Asked", one: "Candidate", found: Sequence[Forecast]) -> list[Forecast]:
    """What is paid for: of rented machines that must answer at any time, the whole day."""
    if asked.service is None or not asked.service.always_on or not isinstance(one.terms, Rent):
        return list(found)
    return [
        replace(each, hours=Fact(DAY, "h", _("rented all day"), Evidence.MEASURED_HERE)) if each.hours else each
        for each in found
    ]
