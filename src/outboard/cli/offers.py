"""``outboard offers``: the machines that can be rented, with what they really cost; ``offers refresh`` collects."""

from typing import TYPE_CHECKING, Any

import typer

from outboard.cli import output, parameters
from outboard.cli.choices import one_of, whole
from outboard.errors import UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.types.money import Offer, Snapshot

SHOWN = 20
KINDS = ("on-demand", "spot")
MARKETS = ("hyperscaler", "cloud", "marketplace")
REFRESH = "refresh"


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    given = [
        parameters.argument(
            "name", "[NAME|refresh]", _("Only this GPU; 'refresh' collects prices anew."), required=False
        ),
        parameters.option("count", "--count", "N", _("At least this many GPUs."), whole("--count")),
        parameters.option("kind", "--kind", "|".join(KINDS), _("Only this kind."), one_of("--kind", KINDS)),
        parameters.option("market", "--market", "|".join(MARKETS), _("Only this market."), one_of("--market", MARKETS)),
        parameters.option("provider", "--provider", "NAME", _("Only this provider.")),
        parameters.option("max_price", "--max-price", "MONEY", _("At most this an hour, e.g. '2 EUR/h'.")),
        parameters.limit(SHOWN),
    ]
    parameters.command(app, "offers", run, _("GPUs for rent, cheapest first; 'offers refresh' collects prices."), given)


def run(name: str | None, limit: int | None, as_json: bool, **filters: Any) -> int:
    """Print the offers that match; 1 when none does."""
    if name == REFRESH:
        return _refresh(as_json)
    from outboard import clock
    from outboard.cost.offers import age_line
    from outboard.planner import prices

    snapshot = prices.current()
    found = _selected(snapshot, name, filters)
    age = age_line(snapshot, clock.today())
    if as_json:
        from outboard.planner.prices.document import document

        output.write_json(document(found, snapshot, age))
    else:
        from outboard.cli.render.plan_offers import render

        render(found, output.rows(limit, SHOWN), age)
    return int(not found)


def _selected(snapshot: "Snapshot", name: str | None, filters: dict[str, Any]) -> "list[Offer]":
    from outboard.cost.money import in_usd, parse_rate
    from outboard.cost.offers import select

    asked = filters["max_price"]
    most = in_usd(parse_rate(asked, "h", "--max-price")).value if asked else None
    provider = filters["provider"] or ""
    _known(provider, snapshot)
    found = select(
        snapshot.offers,
        device=_device(name),
        count=filters["count"] or 1,
        kind=filters["kind"] or "",
        provider=provider,
        market=filters["market"] or "",
    )
    from outboard.cost.offers import rate_of

    return found if most is None else [one for one in found if (rate := rate_of(one)) and rate.value <= most]


def _device(name: str | None) -> str:
    if name is None:
        return ""
    from outboard import catalog

    return catalog.device(name).id


def _known(provider: str, snapshot: "Snapshot") -> None:
    names = sorted({offer.provider for offer in snapshot.offers})
    if provider and provider not in names:
        message = _("--provider must be one of {values}, not '{value}'")
        raise UsageError(message.format(values=", ".join(names), value=provider))


def _refresh(as_json: bool) -> int:
    """Collect; a provider that fails keeps its last good prices, and is named."""
    from outboard import clock
    from outboard.planner.prices.hunt import collectors
    from outboard.planner.prices.refresh import refresh

    with output.waiting(_("Collecting prices")):
        done = refresh(collectors(clock.today()))
    if as_json:
        output.write_json({"collected": done.collected, "failed": done.failed})
        return 0
    for name, why in done.failed.items():
        output.warn(_("{name} keeps its last prices: {why}").format(name=name, why=why))
    text = _("{offers} offers of {count} providers collected.")
    output.write(text.format(offers=sum(done.collected.values()), count=len(done.collected)))
    return 0
