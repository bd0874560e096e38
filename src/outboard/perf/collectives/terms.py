"""The exchange told as terms: what travels, over what, and how sure that is."""

from outboard.i18n import _
from outboard.perf.collectives import volume
from outboard.perf.collectives.fabric import Fabric, fabric, fact
from outboard.types.estimate import Term
from outboard.types.evidence import Evidence
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace
from outboard.uncertainty import fact_sigma

SOURCE = "Outboard's model of the exchange (docs/methodology/link.md), perf/collectives/facts.toml"
LEAST = 0.3  # no exchange is known better than this: hosts, drivers and topologies differ (assumed)


def exchange_terms(job: Job, trace: Trace, place: Place) -> tuple[Term, ...]:
    """Bytes of the exchange and the ring that they take; nothing for one device."""
    if place.count < 2:
        return ()
    ring = fabric(place)
    link = place.link if ring.way in ("peers", "staged") else place.interconnect or place.link
    sizes = {"gradients": volume.gradient_bytes(trace), "weights": volume.weight_bytes(trace)}
    kept = ("gradients",) if job.parallel == "ddp" else tuple(sizes)
    bytes_ = tuple(Term(name, sizes[name], "B", "trace", Evidence.FITTED, formula="parameters") for name in kept)
    known = Term(
        "link bandwidth", link.h2d.value, "B/s", link.h2d.source, link.h2d.evidence, link.h2d.low, link.h2d.high
    )
    path = Term(
        "exchange bandwidth",
        ring.bandwidth,
        "B/s",
        SOURCE,
        Evidence.FITTED,
        min(ring.low, ring.bandwidth),
        max(ring.high, ring.bandwidth),
        formula=FORMULAS[ring.way],
        note=words(ring),
        children=(known,),
    )
    share = fact("overlap.share")
    hidden = Term("hidden share", share.value, "1", share.source, share.evidence, share.low, share.high)
    return (*bytes_, path, hidden)


FORMULAS = {
    "switch": "bus bandwidth of the switch",
    "peers": "link bandwidth x share that is left with both directions busy",
    "staged": "min(1 / (1/link + 1/path through the host's memory), host's memory for all / devices)",
    "network": "wire x share",
    "alone": "none",
}


def words(ring: Fabric) -> str:
    """How the devices reach each other, in words."""
    return {
        "switch": _("over the switch that joins them"),
        "peers": _("directly over PCIe"),
        "staged": _("through the host's memory: the driver or the tunnel allows no direct way"),
        "network": _("over the network between machines"),
        "alone": "",
    }[ring.way]


def exchange_sigma(place: Place) -> float:
    """Standard deviation of ln(exchange time) [1]."""
    ring = fabric(place)
    return max(LEAST, fact_sigma(ring.bandwidth, ring.low, ring.high)) if ring.way != "alone" else 0.0
