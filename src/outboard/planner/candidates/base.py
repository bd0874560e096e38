"""What a candidate is, before any job is put on it."""

from dataclasses import dataclass, replace
from functools import lru_cache

from outboard import catalog
from outboard.catalog.places import place_name
from outboard.i18n import _
from outboard.planner.circumstances import Circumstances
from outboard.types.hardware import Device, Link, Place
from outboard.types.money import Cluster, Purchase, Quota, Rent
from outboard.types.plan import PlaceKind, Reason

Terms = Purchase | Rent | Quota | Cluster


@dataclass(frozen=True)
class Candidate:
    """One place with its terms. ``problems`` hold whatever the job is; ``pool`` names a quota that places share.

    ``later`` is what takes its place after so many years, where a purchase comes in stages.
    """

    id: str
    kind: PlaceKind
    place: Place
    label: str
    provider: str
    terms: Terms
    problems: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    pool: str = ""
    market: str = ""
    later: tuple[tuple[float, "Candidate"], ...] = ()

    @property
    def stages(self) -> tuple[tuple[float, "Candidate"], ...]:
        """Itself and what comes later, each with its beginning [year]."""
        return ((0.0, self), *self.later)

    def with_problem(self, kind: str, text: str) -> "Candidate":
        """The same with one more reason against it."""
        return replace(self, problems=(*self.problems, Reason(kind, text)))  # type: ignore[arg-type]


@lru_cache(maxsize=1024)
def at(device: str, count: int = 1, link: str = "") -> Place:
    """Return a place by the ids of the catalogue, without reading a name."""
    found = catalog.device(device)
    hung = catalog.link(link) if link else catalog.usual_link(found)
    return _place(found, count, hung, bool(link))


def _place(device: Device, count: int, link: Link, named: bool) -> Place:
    return Place(
        name=place_name(device.id, count, link.id if named else ""),
        device=device,
        count=count,
        link=link,
        interconnect=catalog.interconnect(device) if count > 1 else None,
        link_assumed=not named,
    )


def leaving(me: Circumstances) -> tuple[Reason, ...]:
    """Return the reason against places elsewhere, where the data may not leave."""
    if me.stated.constraints.data_may_leave:
        return ()
    return (Reason("data may not leave", _("the data would leave the person's premises")),)


def fixed(me: Circumstances) -> tuple[Reason, ...]:
    """Return the reason against machines that nobody carries."""
    return (Reason("must be portable", _("a machine that stays where it is")),) if me.portable else ()


def cards() -> list[Device]:
    """Return the devices of our own tables that are sold as cards."""
    return [device for device in catalog.devices() if device.form == "card" and device.vendor != "cpu" and device.tdp]
