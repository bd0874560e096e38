"""How fast a model reads and writes at a place where it does not lie on one device: several share it, or the host does.

A token passes the layers one after the other, so times add up: what the devices hold, what the host holds at the
bandwidth of its own memory, and the crossings between them. Prompts are read on the devices alone; weights that wait
on the host are copied over the link for each micro-batch (llama.cpp does so from 32 tokens on). Devices that hold
layers in turn are a pipeline of micro-batches for a prompt, and idle for all but one at a time for a token; devices
that hold slices of every matrix work together, and add their results up twice in each layer.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from outboard.perf.collectives import algorithms
from outboard.perf.collectives.fabric import fabric
from outboard.perf.input.transfer import link_rate
from outboard.perf.serving import speed
from outboard.perf.serving.layout import Layout, sides
from outboard.perf.serving.memory import FLOAT, Workload, cache_bytes
from outboard.perf.serving.speed import MULTIPLY_ADD, Speed, coefficients
from outboard.perf.serving.weights import Weights
from outboard.types.evidence import Fact
from outboard.types.hardware import Place
from outboard.types.llm import LanguageModel

HALF = 2.0  # bytes of a value that devices exchange within a layer [B]
REDUCED = 2.0  # sums over all devices in each layer: after attention, and after the feed-forward part


@dataclass(frozen=True)
class Spent:
    """Seconds of one token, by who spends them."""

    device: float
    host: float
    crossing: float

    @property
    def total(self) -> float:
        """All of them, one after the other [s]."""
        return self.device + self.host + self.crossing


def usual_host() -> Fact:
    """Bandwidth of the memory of a host of which nothing is said [B/s]."""
    return speed.host_fact("host_bandwidth")


def rates(model: LanguageModel, lying: Weights, place: Place, work: Workload, layout: Layout, host: Fact) -> Speed:
    """The speeds with their bands. ``host``: the bandwidth of its memory [B/s]."""
    one = decode(model, lying, place, Workload(work.context, 1, work.cache), layout, host)
    every = decode(model, lying, place, work, layout, host)
    reading = prefill(model, lying, place, work, layout)
    foreign = "_foreign" if place.device.vendor != "nvidia" else ""
    c = coefficients()
    more = c["several_spread"] if layout.count > 1 else 1.0
    decode_spread = _both(_joined(one, c[f"decode_spread{foreign}"], _spread(host)), more)
    cpu = place.device.vendor == "cpu"
    return Speed(
        decode=1.0 / one.total,
        together=work.users / every.total,
        prefill=1.0 / reading.total,
        decode_spread=decode_spread,
        prefill_spread=_both(c["host_spread"] if cpu else c[f"prefill_spread{foreign}"], more),
        together_spread=speed.crowded(decode_spread, work.users),
    )


def _both(one: float, other: float) -> float:
    """The factor of a band that two independent causes widen."""
    return math.exp(math.hypot(math.log(one), math.log(other)))


def decode(
    model: LanguageModel,
    lying: Weights,
    place: Place,
    work: Workload,
    layout: Layout,
    host: Fact,
    c: Mapping[str, float] | None = None,
) -> Spent:
    """Time of one token for each of the users, shape of answers as in :class:`Spent` [s]."""
    c = c or coefficients()
    cut = sides(model, lying, layout)
    there = 0.0
    if layout.layers or layout.head:
        share = layout.count if layout.way == "tensor" else 1
        there = _device_decode(cut.device_model, cut.device, place, work, share, c)
    here = _host_decode(model, cut.host, cut.host_model, work, host, c) if cut.host.device else 0.0
    return Spent(there, here, _crossings(model, place, work.users, layout))


def prefill(
    model: LanguageModel,
    lying: Weights,
    place: Place,
    work: Workload,
    layout: Layout,
    c: Mapping[str, float] | None = None,
) -> Spent:
    """Time of one token of a prompt as long as the context, on average [s]."""
    if place.device.vendor == "cpu":
        flops = MULTIPLY_ADD * lying.count.active
        return Spent(0.0, flops / (place.device.vector["fp32"].value * coefficients()["host_product"]), 0.0)
    cut = sides(model, lying, layout)
    batch = min(work.micro_batch, work.context)
    alone = speed.prefill_seconds(model, lying, place.device, work.context, c, work.flash)
    streamed = cut.host.device / (link_rate(place) * batch) if cut.host.device else 0.0
    if layout.count == 1:
        return Spent(alone, 0.0, streamed)
    if layout.way == "tensor":
        summed = model.layers * REDUCED * _all_reduce(model.hidden * HALF * batch, place) / batch
        return Spent(alone / layout.count, 0.0, streamed + summed)
    step = _hop(model.hidden * FLOAT * batch, place) / batch
    # Copies of the weights for each micro-batch leave no room for a pipeline.
    batches = math.ceil(work.context / batch) if not streamed else 1
    stages = (batches + layout.count - 1.0) / (batches * layout.count)
    return Spent(alone * (stages if not streamed else 1.0), 0.0, streamed + step)


def _device_decode(
    model: LanguageModel, lying: Weights, place: Place, work: Workload, share: int, c: Mapping[str, float]
) -> float:
    """On the devices; each works on one part in ``share`` of everything but what takes as long whatever its size."""
    fixed = model.layers * c["layer"]
    whole = speed.decode_seconds(model, lying, place.device, work.context, work.users, c)
    return (whole - fixed) / share + fixed


def _host_decode(
    model: LanguageModel, lying: Weights, part: LanguageModel, work: Workload, host: Fact, c: Mapping[str, float]
) -> float:
    share = speed.woken(model, work.users)
    cached = work.users * cache_bytes(part, work.context, work.cache) if part.layers else 0.0
    memory = (lying.woken(share).read + cached) / (host.value * c["host_memory"])
    arithmetic = MULTIPLY_ADD * lying.count.active * work.users / c["host_arithmetic"]
    return max(memory, arithmetic)


def _crossings(model: LanguageModel, place: Place, users: int, layout: Layout) -> float:
    """Activations over the link, back and forth, and between the devices [s]."""
    size = model.hidden * FLOAT * users
    found = 0.0
    if layout.count > 1:
        summed = model.layers * REDUCED * _all_reduce(size / FLOAT * HALF, place)
        found += summed if layout.way == "tensor" else (layout.count - 1) * _hop(size, place)
    alone = layout.layers == model.layers and layout.head and not layout.experts_on_host
    if not alone and layout.layers:
        both = 2.0 * (place.link.latency.value + size / link_rate(place))
        found += both * (layout.layers if layout.experts_on_host else 1)
    return found


def _hop(size: float, place: Place) -> float:
    ring = fabric(place)
    return ring.step + size / ring.bandwidth


def _all_reduce(size: float, place: Place) -> float:
    ring = fabric(place)
    count, bandwidth, step = (np.array([value]) for value in (float(place.count), ring.bandwidth, ring.step))
    return float(algorithms.all_reduce(size, count, bandwidth, step, 1.0 if ring.way == "network" else 0.0)[0])


def _spread(host: Fact) -> float:
    """Factor of the band of what the host does: of its bandwidth, and of what is made of it."""
    low, high = host.low or host.value, host.high or host.value
    known = math.log(max(host.value / low, high / host.value))
    return _both(math.exp(known), coefficients()["host_spread"])


def _joined(spent: Spent, device: float, host: float) -> float:
    """Factor of the band of a sum: devices and host are off independently of each other."""
    there, here = spent.device + spent.crossing, spent.host
    both = math.hypot(there * math.log(device), here * math.log(host)) / spent.total
    return math.exp(both)
