"""The rate of a job against the bandwidth of the link: a curve, each link on it, and the knee."""

from dataclasses import dataclass, replace

import numpy as np

from outboard import catalog
from outboard.i18n import _
from outboard.perf.collectives.exchange import replicas
from outboard.perf.time import PlaceArrays, replay
from outboard.planner.report.charts import COLOURS, HEIGHT, SCHEMA, WIDTH, Spec
from outboard.types.hardware import Link, Place
from outboard.types.job import Job
from outboard.types.trace import Trace

MARKED = ("pcie3-x1", "tb2", "tb3", "usb4-40", "tb5", "oculink-pcie4-x4", "pcie4-x8", "pcie4-x16", "pcie5-x16")
KNEE = 0.95  # share of the rate with an infinite link that counts as all of it
LOWEST, HIGHEST, POINTS = 2e8, 8e10, 60


@dataclass(frozen=True)
class Point:
    """One bandwidth [B/s] and the rate there [1/s]; ``label`` names the link, if it is one."""

    bandwidth: float
    rate: float
    label: str = ""
    here: bool = False


@dataclass(frozen=True)
class Sensitivity:
    """The curve, the links on it, and the bandwidth from which the link costs less than 5 % [B/s]; None: always."""

    curve: tuple[Point, ...]
    links: tuple[Point, ...]
    knee: float | None
    best: float  # rate with an infinite link [1/s]


def sensitivity(job: Job, trace: Trace, place: Place, batch: int) -> Sensitivity:
    """How the rate of ``job`` depends on the link that its device hangs on. The exchange stays as it is."""
    grid = np.geomspace(LOWEST, HIGHEST, POINTS)
    marked = [catalog.link(name) for name in MARKED]
    if place.link.id not in MARKED:
        marked.append(place.link)
    # Each device keeps the exchange that it has: only the copies from the host change.
    fixed = replace(place, interconnect=place.interconnect or place.link)
    curve = [replace(fixed, link=_of_rate(place.link, float(rate))) for rate in grid]
    on_links = [replace(fixed, link=link) for link in marked]
    rates = _rates(job, trace, [*curve, *on_links, replace(fixed, link=_of_rate(place.link, 1e30))], batch)
    best = rates[-1]
    points = tuple(Point(float(rate), found) for rate, found in zip(grid, rates, strict=False))
    here = {link.id: link.id == place.link.id for link in marked}
    links = tuple(
        Point(link.h2d.value, found, link.id, here[link.id])
        for link, found in zip(marked, rates[len(grid) : -1], strict=True)
    )
    return Sensitivity(points, tuple(sorted(links, key=lambda point: point.bandwidth)), _knee(points, best), best)


def _of_rate(link: Link, rate: float) -> Link:
    """The same link with another bandwidth [B/s]."""
    fact = replace(link.h2d, value=rate, low=None, high=None)
    return replace(link, h2d=fact, d2h=fact)


def _rates(job: Job, trace: Trace, places: list[Place], batch: int) -> list[float]:
    total = replay(job, trace, np.array([float(batch)]), PlaceArrays.of(places)).total[:, 0]
    micro = job.grad_accumulation if job.task != "infer" else 1
    return [batch * micro * replicas(job, places[0].count) / float(seconds) for seconds in total]


def _knee(curve: tuple[Point, ...], best: float) -> float | None:
    """Where the curve first reaches its share, between the points that enclose it."""
    reached = next((index for index, point in enumerate(curve) if point.rate >= KNEE * best), None)
    if not reached:
        return None if reached == 0 else curve[-1].bandwidth
    low, high = curve[reached - 1], curve[reached]
    share = (KNEE * best - low.rate) / (high.rate - low.rate)
    return float(low.bandwidth * (high.bandwidth / low.bandwidth) ** share)


def chart(found: Sensitivity, unit: str, title: str) -> Spec:
    """Return the picture as a Vega-Lite specification."""
    x = {"field": "x", "type": "quantitative", "title": _("link bandwidth, GB/s"), "scale": {"type": "log"}}
    y = {"field": "y", "type": "quantitative", "title": unit, "scale": {"zero": True}}
    line = [{"x": point.bandwidth / 1e9, "y": point.rate} for point in found.curve]
    marks = [
        {"x": point.bandwidth / 1e9, "y": point.rate, "label": point.label, "here": point.here} for point in found.links
    ]
    colour = {"condition": {"test": "datum.here", "value": COLOURS[1]}, "value": "#555555"}
    at = {"x": x, "y": y}
    layers: list[Spec] = [
        {"data": {"values": line}, "mark": {"type": "line", "color": COLOURS[0]}, "encoding": at},
        {
            "data": {"values": marks},
            "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
            "encoding": {**at, "color": colour},
        },
        {
            "data": {"values": marks},
            "mark": {"type": "text", "angle": 300, "align": "right", "dx": -6, "dy": 6, "fontSize": 10},
            "encoding": {**at, "text": {"field": "label"}, "color": colour},
        },
    ]
    if found.knee is not None:
        label = _("knee: {rate:.1f} GB/s").format(rate=found.knee / 1e9)
        knee = {"data": {"values": [{"x": found.knee / 1e9, "label": label}]}}
        layers.append({**knee, "mark": {"type": "rule", "strokeDash": [4, 4]}, "encoding": {"x": x}})
        place = {"type": "text", "align": "left", "dx": 4, "y": HEIGHT - 8, "fontSize": 11}
        layers.append({**knee, "mark": place, "encoding": {"x": x, "text": {"field": "label"}}})
    head = {"text": _("Rate against the link"), "subtitle": title, "anchor": "start"}
    return {"$schema": SCHEMA, "title": head, "width": WIDTH, "height": HEIGHT, "layer": layers}
