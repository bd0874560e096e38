"""Which language a browser is answered in, and numbers, dates and money as that language writes them."""

from datetime import date, datetime

from babel import dates
from babel import numbers as babel
from starlette.requests import Request

from outboard.cli.render import numbers
from outboard.cost.money import from_usd
from outboard.i18n import LANGUAGES, _, here
from outboard.types.plan import Interval

DATE = len("2026-01-01")
TERRITORY = {"en": "en_GB", "es": "es_ES"}


def language(request: Request) -> str:
    """What ``lang`` in the address says, else what the browser likes best, else English."""
    asked = request.query_params.get("lang", "")
    if asked in LANGUAGES:
        return asked
    return liked(request.headers.get("accept-language", ""))


def liked(header: str) -> str:
    """The language of the page that a browser likes best.

    >>> liked("es-ES,es;q=0.9,en;q=0.8"), liked("fr, es;q=0.2, en;q=0.1"), liked(""), liked("en;q=nonsense")
    ('es', 'es', 'en', 'en')
    """
    best, found = 0.0, "en"
    for part in header.split(",")[:20]:
        name, _semicolon, weight = part.partition(";q=")
        try:
            quality = float(weight) if weight else 1.0
        except ValueError:
            continue
        code = name.strip().lower().split("-")[0]
        if code in LANGUAGES and quality > best:
            best, found = quality, code
    return found


def locale() -> str:
    """How the language in use writes numbers."""
    return TERRITORY[here() or "en"]


def plain(value: float | None) -> str:
    """Three figures, grouped as people of the language group them."""
    if value is None:
        return numbers.UNKNOWN
    rounded = float(f"{value:.3g}")
    return babel.format_decimal(rounded, locale=locale(), format=None if abs(rounded) >= 1 else "0.######")


def money(usd: float | None, currency: str) -> str:
    """US dollars in the person's currency; cents only where they matter."""
    if usd is None:
        return numbers.UNKNOWN
    if usd in (float("inf"), float("-inf")):
        return _("never")
    amount = from_usd(usd, currency)
    if abs(amount) < 20:
        return babel.format_currency(amount, currency, locale=locale())
    rounded = float(f"{amount:.3g}")
    return babel.format_currency(rounded, currency, locale=locale(), currency_digits=False, format=_whole())


def _whole() -> str:
    """The usual form of money without cents."""
    from babel import Locale

    return Locale.parse(locale()).currency_formats["standard"].pattern.replace("0.00", "0")


def money_band(found: Interval | None, currency: str) -> str:
    """``low to high`` of an amount."""
    if found is None:
        return ""
    if abs(found.p90 - found.p10) < 0.005:
        return ""
    return _("{low} to {high}").format(low=money(found.p10, currency), high=money(found.p90, currency))


def hours(value: float | None) -> str:
    """Hours as people say them."""
    if value is None:
        return numbers.UNKNOWN
    if value in (float("inf"),):
        return _("never")
    if value < 1.0:
        return _("{minutes} min").format(minutes=plain(max(60 * value, 1)))
    return _("{hours} h").format(hours=plain(value)) if value < 72 else _("{days} days").format(days=plain(value / 24))


def day(value: date) -> str:
    """A date."""
    return dates.format_date(value, "medium", locale=locale())


def moment(text: str) -> str:
    """A date as it is kept, with its time where it has one; a text that is none stays as it is."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return text
    return dates.format_datetime(found, "short", locale=locale()) if len(text) > DATE else day(found.date())


def percent(value: float | None) -> str:
    """A share in hundredths."""
    return numbers.UNKNOWN if value is None else babel.format_percent(value, locale=locale())
