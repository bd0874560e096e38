"""Places of others: rented machines, free tiers, the university's cluster."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from outboard.catalog.device_files import index
from outboard.cost.offers import as_rent
from outboard.cost.owned import tier, tier_devices
from outboard.i18n import _
from outboard.planner.candidates.base import Candidate, at, leaving
from outboard.planner.circumstances import Circumstances
from outboard.types.money import Billing, Cluster, Offer, Rent, Snapshot
from outboard.types.plan import PlaceKind, Reason

# Signing in again and starting the run from its checkpoint: a judgement, a few minutes [h].
RECONNECTING = 0.1
COMMITMENTS: tuple[tuple[Billing, float], ...] = (("reserved-1y", 1.0), ("reserved-3y", 3.0))


def rented(me: Circumstances, snapshot: Snapshot, today: date) -> Iterator[Candidate]:
    """Yield every offer of a device that can be forecast, on demand, spot and reserved; the refused ones with why."""
    problems = (*leaving(me), *_no_cloud(me))
    for offer in (*snapshot.offers, *snapshot.refused):
        if offer.device not in index():
            continue  # the plan says how many: without a table of its own a device has no forecast
        one = _offered(offer, today, problems)
        yield one
        if offer.kind == "on-demand" and offer.market != "marketplace" and not offer.refusal:
            yield from _reserved(one, me)


def _offered(offer: Offer, today: date, problems: tuple[Reason, ...]) -> Candidate:
    rent = as_rent(offer, today)
    count = max(offer.gpu_count, offer.least_gpus)
    place = at(offer.device, count)
    kind: PlaceKind = "spot" if offer.kind == "spot" else "on-demand"
    refused = (Reason("price not believed", offer.refusal),) if offer.refusal else ()
    parts = [kind, offer.provider, place.name, offer.tier, offer.region]
    return Candidate(
        id=":".join(part.replace(" ", "-") for part in parts if part and part != kind) + f":{kind}",
        kind=kind,
        place=place,
        label=_label(kind, place.name, offer.provider),
        provider=offer.provider,
        terms=replace(rent, name=f"{offer.provider} {place.name}"),
        problems=(*problems, *refused),
        notes=(offer.alarm,) if offer.alarm else (),
        market=offer.market,
    )


def _reserved(one: Candidate, me: Circumstances) -> Iterator[Candidate]:
    assert isinstance(one.terms, Rent)
    for billing, years in COMMITMENTS:
        if me.horizon < years - 1e-9:
            continue
        label = _label(billing, one.place.name, one.provider)
        id = one.id.removesuffix(":on-demand") + f":{billing}"
        yield replace(one, id=id, kind="reserved", label=label, terms=replace(one.terms, billing=billing))


def quoted(me: Circumstances) -> Iterator[Candidate]:
    """Yield what the person was offered: their own price beats any table."""
    for number, one in enumerate(me.quotes):
        monthly = one.billing == "monthly"
        terms = Rent(
            f"{one.provider} {one.place.name}",
            None if monthly else one.price,
            billing=one.billing,
            monthly_price=one.price if monthly else None,
            fixed_price=True,
        )
        yield Candidate(
            id=f"quote:{number}:{one.provider.replace(' ', '-')}:{one.place.name}:{one.billing}",
            kind=one.billing,  # type: ignore[arg-type]
            place=one.place,
            label=_label(one.billing, one.place.name, one.provider),
            provider=one.provider,
            terms=terms,
            problems=leaving(me),
            notes=(_("the price that was quoted"),),
        )


def _label(billing: str, place: str, provider: str) -> str:
    """A rented place as people call it."""
    form = {
        "on-demand": _("{place} from {provider}, on demand"),
        "spot": _("{place} from {provider}, spot"),
        "monthly": _("{place} from {provider}, by the month"),
        "reserved-1y": _("{place} from {provider}, reserved for a year"),
        "reserved-3y": _("{place} from {provider}, reserved for three years"),
    }[billing]
    return form.format(place=place, provider=provider)


def _no_cloud(me: Circumstances) -> tuple[Reason, ...]:
    return () if me.stated.access.cloud else (Reason("access", _("the person does not rent")),)


def free(me: Circumstances) -> Iterator[Candidate]:
    """Yield the free and cheap tiers that the person may use."""
    for name in me.tiers:
        device, count = tier_devices(name)
        terms = replace(tier(name), reconnect_hours=RECONNECTING)
        yield Candidate(
            id=f"tier:{name}",
            kind="free tier",
            place=at(device, count),
            label=_("{place} of {tier}").format(place=at(device, count).name, tier=name),
            provider=name.split("-")[0],
            terms=terms,
            problems=(*leaving(me), *(_no_cloud(me) if terms.usd_per_hour or terms.usd_per_month else ())),
            pool=name.split("-")[0],
        )


def clusters(me: Circumstances) -> Iterator[Candidate]:
    """Yield each kind of device of the cluster; its queue and its hours are shared."""
    slurm = me.slurm
    if slurm is None:
        return
    problems = () if slurm.data_allowed else leaving(me)
    for place in slurm.places:
        terms = Cluster(
            name=slurm.name,
            wait=slurm.wait,
            walltime_hours=slurm.walltime,
            usd_per_hour=slurm.charge,
            hours_month=slurm.hours_month,
        )
        label = _("{place} of the cluster").format(place=place.name)
        yield Candidate(f"cluster:{place.name}", "cluster", place, label, slurm.name, terms, problems, pool=slurm.name)


def without_forecast(snapshot: Snapshot) -> int:
    """Return how many offers are of devices in no table of ours."""
    return sum(offer.device not in index() for offer in snapshot.offers)
