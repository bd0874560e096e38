"""Collects prices, provider by provider: one that fails keeps its last good rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from outboard.cost.offers import check, refusal
from outboard.errors import OutsideError
from outboard.i18n import _
from outboard.planner.prices import table
from outboard.types.money import Offer

Collector = Callable[[], Iterable[Offer]]
ENOUGH = 0.5  # a provider whose rows shrink or become incredible by more than this is taken to have failed


@dataclass(frozen=True)
class Refreshed:
    """What became of each provider."""

    collected: dict[str, int]  # provider -> rows
    failed: dict[str, str]  # provider -> why


def refresh(collectors: dict[str, Collector]) -> Refreshed:
    """Ask every provider and write the table. Raises :class:`OutsideError` when none answered; then nothing changes."""
    before = table.rows()
    fresh: dict[str, list[Offer]] = {}
    failed: dict[str, str] = {}
    for name, collect in collectors.items():
        try:
            fresh[name] = _believed(list(collect()), [offer for offer in before if offer.provider == name])
        except Exception as error:
            failed[name] = " ".join(str(error).split()) or type(error).__name__
    if not fresh:
        first = next(iter(failed.items()), ("", _("nobody was asked")))
        message = _("no provider answered ({name}: {why}); the prices stay as they were")
        raise OutsideError(message.format(name=first[0], why=first[1]))
    kept = [offer for offer in before if offer.provider not in fresh]
    offers = [*kept, *(offer for rows in fresh.values() for offer in rows)]
    check(offers)
    table.write(offers)
    return Refreshed({name: len(rows) for name, rows in fresh.items()}, failed)


def _believed(rows: Sequence[Offer], before: Sequence[Offer]) -> list[Offer]:
    """Return ``rows``, unless they look like a mistake of whoever wrote them down."""
    if not rows:
        raise ValueError(_("no offers"))
    refused = sum(bool(refusal(offer)) for offer in rows)
    if refused > ENOUGH * len(rows):
        raise ValueError(_("{refused} of {count} prices cannot be believed").format(refused=refused, count=len(rows)))
    known = {offer.device for offer in before if offer.device}
    if len(known & {offer.device for offer in rows}) < ENOUGH * len(known):
        raise ValueError(_("more than half of its devices are gone"))
    return list(rows)
