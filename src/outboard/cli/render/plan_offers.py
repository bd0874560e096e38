"""Offers as a table."""

from collections.abc import Sequence

from rich.table import Table

from outboard.cli.output import show
from outboard.cli.render import numbers
from outboard.cost.offers import rate_of
from outboard.i18n import _
from outboard.types.money import Offer


def render(found: Sequence[Offer], limit: int | None, age: str) -> None:
    """Print the first ``limit`` offers, or all of them."""
    shown = found[:limit]
    if not shown:
        show(_("No offer matches."), "", numbers.local(f"{age}."))
        return
    heading = _("{count} offers, cheapest first, with cores and memory in USD an hour.").format(count=len(found))
    hidden = _("Shown {shown} of {count}; {age}; sources and refusals: --json.")
    show(heading, "", _table(shown), "", hidden.format(shown=len(shown), count=len(found), age=age))


def _table(offers: Sequence[Offer]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("USD/h", justify="right", no_wrap=True)
    for title in (_("GPU"), _("provider"), _("kind"), _("region"), _("date"), ""):
        table.add_column(title, overflow="fold")
    for offer in offers:
        rate = rate_of(offer)
        count = max(offer.gpu_count, offer.least_gpus)
        name = (offer.device or offer.gpu) + (f"x{count}" if count > 1 else "")
        price = numbers.UNKNOWN if rate is None else numbers.plain(rate.value)
        table.add_row(price, name, offer.provider, offer.kind, offer.region, offer.date, "!" if offer.alarm else "")
    return table
