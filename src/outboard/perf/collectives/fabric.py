"""What joins the devices of a place: bandwidth and latency of the slowest path of a ring through all of them."""

from dataclasses import dataclass

from outboard.perf import facts
from outboard.types.evidence import Fact
from outboard.types.hardware import Device, Link, Place

PLAIN = ("pcie", "m2", "oculink")
BRIDGE = "nvlink-bridge"  # links of this name join two cards; a ring through more crosses their slots


def fact(where: str) -> Fact:
    """The entry of ``facts.toml`` at a dotted path such as ``"ring.step"``."""
    return facts.table("outboard.perf.collectives")[where]


@dataclass(frozen=True)
class Fabric:
    """One ring. ``way`` is "alone", "switch" (NVLink and the like), "peers", "staged" or "network"."""

    way: str
    bandwidth: float  # of each device in each direction while all are busy [B/s]
    step: float  # one step of the ring for a message of no size [s]
    low: float  # bandwidth at the slow end of the facts [B/s]
    high: float  # at the quick end [B/s]


def fabric(place: Place) -> Fabric:
    """The ring through the devices of ``place``."""
    way = way_of(place)
    link = place.link if way in ("peers", "staged") else place.interconnect or place.link
    values = {end: _bandwidth(way, link, place.count, end) for end in ("value", "low", "high")}
    step = max(fact("ring.step").value, link.latency.value * (1.0 if way == "network" else _hops(way)))
    return Fabric(way, values["value"], step, values["low"], values["high"])


def way_of(place: Place) -> str:
    """How the devices of ``place`` reach each other."""
    joined = place.interconnect
    if place.count < 2:
        return "alone"
    if joined is not None and joined.id.startswith(BRIDGE) and place.count > 2:
        joined = None
    if joined is not None and joined.kind == "network":
        return "network"
    if joined is not None and joined.kind not in PLAIN:
        return "switch"
    return "peers" if reaches_peers(place.device, place.link) else "staged"


def reaches_peers(device: Device, link: Link) -> bool:
    """Whether devices read each other's memory over ``link``: drivers of GeForce cards forbid it, tunnels break it."""
    return device.kind not in ("geforce", "laptop") and link.kind in PLAIN


def _hops(way: str) -> float:
    """Latencies of the link that one step of the ring takes: into the host's memory and out of it."""
    return 2.0 if way == "staged" else 1.0


def _bandwidth(way: str, link: Link, count: int, end: str) -> float:
    rate = min(_at(link.h2d, end), _at(link.d2h, end))
    if way == "switch":
        return rate * _at(fact("ring.nvlink"), "value")
    if way == "network":
        return rate * _at(fact("network.share"), end)
    if way == "peers":
        return rate * _at(fact("peers.share"), end)
    if way == "staged":
        # Through the host one after the other, and all rings share the host's memory and the way between its sockets.
        return min(1.0 / (1.0 / rate + 1.0 / _at(fact("staged.path"), end)), _at(fact("staged.host"), end) / count)
    return rate


def _at(known: Fact, end: str) -> float:
    found = getattr(known, end)
    return known.value if found is None else float(found)
