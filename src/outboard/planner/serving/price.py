"""What a million tokens cost at the place that a plan recommends, and whether an API is cheaper."""

from outboard.cost.arrays import MONTHS_PER_YEAR
from outboard.cost.money import from_usd
from outboard.i18n import _
from outboard.planner.circumstances import Circumstances
from outboard.planner.serving.daily import DAY, chosen, hours_a_day
from outboard.planner.serving.service import DAYS_PER_MONTH, MILLION, Service
from outboard.planner.words import money
from outboard.types.hardware import Place
from outboard.types.plan import Interval, ServicePrice


def service_price(service: Service, me: Circumstances, total: Interval, place: Place) -> ServicePrice:
    """From the ``total`` over the horizon [USD]."""
    most = service.written * DAY / hours_a_day(service, chosen(service, place)).value
    days = me.horizon * MONTHS_PER_YEAR * DAYS_PER_MONTH
    millions = service.written * days / MILLION
    each = Interval(total.p10 / millions, total.p50 / millions, total.p90 / millions)
    asked = service.api_per_day
    if asked is None:
        return ServicePrice(service.written, each, None, None, None, most)
    by_api = asked * days
    return ServicePrice(
        tokens_per_day=service.written,
        per_million=each,
        api_per_million=asked / service.written * MILLION,
        api_over_horizon=by_api,
        pays_from=service.written * total.p50 / by_api,
        most_per_day=most,
    )


def sentences(service: Service, me: Circumstances, found: ServicePrice, label: str) -> list[str]:
    """What a token costs, and the API beside it."""
    written = _("A million written tokens cost {each} there, with what is read for them.")
    said = [written.format(each=_fine(found.per_million.p50, me))]
    if found.api_per_million is None or found.api_over_horizon is None or found.pays_from is None:
        return said
    cheaper = found.api_over_horizon < found.per_million.p50 * service.written * _days(me) / MILLION
    form = _("The API is cheaper") if cheaper else _("The API is dearer")
    form += ": " + _("{api} a million, {total} over the horizon") + "; "
    form += (
        _("{label} pays from {tokens} tokens a day.")
        if found.pays_from <= found.most_per_day
        else _("{label} never pays: it can write {most} a day and would have to write {tokens}.")
    )
    return [
        *said,
        form.format(
            api=_fine(found.api_per_million, me),
            total=money(found.api_over_horizon, me),
            label=label,
            tokens=_tokens(found.pays_from),
            most=_tokens(found.most_per_day),
        ),
    ]


def _days(me: Circumstances) -> float:
    return me.horizon * MONTHS_PER_YEAR * DAYS_PER_MONTH


def _fine(usd: float, me: Circumstances) -> str:
    """Small amounts with two figures: tokens cost cents."""
    amount = from_usd(usd, me.currency)
    return f"{amount:.2g} {me.currency}" if amount < 1 else money(usd, me)


def _tokens(count: float) -> str:
    """Two figures and a word.

    >>> _tokens(1234567.0), _tokens(45000.0), _tokens(3.2e9)
    ('1.2 million', '45 thousand', '3,200 million')
    """
    if count >= MILLION:
        return _("{count} million").format(count=f"{float(f'{count / MILLION:.2g}'):,g}")
    return _("{count} thousand").format(count=f"{float(f'{count / 1e3:.2g}'):,g}")
