"""``--on auto``: the GPUs of this machine as the probe sees them, else its processor."""

from outboard import catalog
from outboard.catalog.places import place_name
from outboard.errors import UsageError
from outboard.i18n import _
from outboard.measuring import place_here
from outboard.probe import look
from outboard.probe.look import Sight
from outboard.store import Store
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Place

AUTO = "auto"


def here(sight: Sight | None = None, store: Store | None = None) -> Place:
    """The place: an external card before others; equal cards on equal links count together.

    Raises :class:`UsageError` where a card is seen that the catalogue does not know.
    """
    sight = sight or look()
    card = sight.main
    if card is None:
        return place_here(store)
    if card.device is None:
        seen = card.name or f"{card.gpu.vendor} {card.gpu.device_id}"
        message = _("this machine has a GPU that the catalogue does not know ({seen}); name one like it: --on PLACE")
        raise UsageError(message.format(seen=seen))
    same = [one for one in sight.cards if one.device == card.device and one.link == card.link]
    return catalog.place(place_name(card.device.id, len(same), card.link))


def host_bandwidth(store: Store | None = None) -> Fact | None:
    """What was measured of this machine's memory [B/s]; None where nothing was."""
    place = place_here(store)
    fact = place.device.memory_bandwidth
    return fact if fact.evidence is Evidence.MEASURED_HERE else None
