"""Where a model's weights lie: some layers or all on the devices, the rest in the host's memory.

As llama.cpp lays them out: the last ``-ngl`` layers go to the devices, the head once all layers are there, and with
``--cpu-moe`` the experts stay on the host whatever their layer does. Several devices take layers in turn ("layer") or
a slice of every matrix each ("tensor").
"""

import math
from dataclasses import dataclass, replace

from outboard.perf.serving.memory import Workload, buffers, cache_bytes
from outboard.perf.serving.parameters import Parameters
from outboard.perf.serving.weights import Weights
from outboard.types.llm import LanguageModel

WAYS = ("layer", "tensor")


@dataclass(frozen=True)
class Layout:
    """``layers`` of the model lie on ``count`` devices; ``head``: the last matrix as well."""

    layers: int
    head: bool = True
    experts_on_host: bool = False
    count: int = 1
    way: str = "layer"


@dataclass(frozen=True)
class Sides:
    """The model and its weights, cut into what the devices work on and what the host does. Layers may be none."""

    device: Weights
    device_model: LanguageModel
    host: Weights
    host_model: LanguageModel


def everything(model: LanguageModel, count: int = 1, way: str = "layer") -> Layout:
    """All layers and the head on the devices."""
    return Layout(model.layers, True, False, count, way)


def sides(model: LanguageModel, lying: Weights, layout: Layout) -> Sides:
    """Cut the model in two."""
    there = lying.part(layout.layers, layout.head)
    here = lying.first(model.layers - layout.layers, not layout.head)
    device_model, host_model = _cut(model, layout.layers), _cut(model, model.layers - layout.layers)
    if layout.experts_on_host:
        # The host works on the experts alone, and has no cache of these layers.
        there, here = _without_experts(there), _with_experts(here, there)
    return Sides(there, device_model, here, host_model)


def per_device(model: LanguageModel, lying: Weights, work: Workload, layout: Layout) -> float:
    """Bytes that the fullest of the devices holds, without the context of its driver [B]."""
    kept = sides(model, lying, layout)
    cache = work.users * cache_bytes(kept.device_model, work.context, work.cache) if layout.layers else 0.0
    room = buffers(model, work)
    if not layout.head:
        # Prompts are multiplied on the device all the same: the head is copied there for it, into the buffers.
        room += lying.head
    if layout.way == "tensor":
        shares = layout.count if not model.kv_rank else 1
        return kept.device.device / layout.count + cache / min(shares, max(model.kv_heads, 1)) + room
    return _fullest(kept.device, cache, layout.count) + room


def _fullest(there: Weights, cache: float, count: int) -> float:
    """Of devices that take as many layers each as whole layers allow; the head counts as one."""
    each = cache / max(len(there.layers), 1)
    pieces = [size + each for size in there.layers] + ([there.head] if there.head else [])
    if count == 1 or not pieces:
        return sum(pieces)
    sums = [0.0] * count
    for index, size in enumerate(pieces):
        sums[index * count // len(pieces)] += size
    return max(sums)


def on_host(model: LanguageModel, lying: Weights, work: Workload, layout: Layout) -> float:
    """Bytes of weights and cache that wait in the host's memory [B]."""
    kept = sides(model, lying, layout)
    below = model.layers - layout.layers
    cache = work.users * cache_bytes(_cut(model, below), work.context, work.cache) if below else 0.0
    return lying.embedding + kept.host.device + cache


def _cut(model: LanguageModel, layers: int) -> LanguageModel:
    """``layers`` of the model, with their share of windows and caches."""
    share = layers / model.layers
    return replace(
        model,
        layers=layers,
        window_layers=math.floor(model.window_layers * share),
        cached_layers=math.ceil(model.cached_layers * share),
    )


def _without_experts(there: Weights) -> Weights:
    layers = tuple(size - experts for size, experts in zip(there.layers, there.experts, strict=True))
    count = replace(there.count, experts=0.0, experts_down=0.0)
    return replace(there, layers=layers, experts=(0.0,) * len(layers), count=count)


def _with_experts(here: Weights, there: Weights) -> Weights:
    """What the host had, and the experts of the other layers."""
    none = Parameters(0, 0, 0, 0, 0, 0, there.count.experts, there.count.experts_down, 0, there.count.active_share)
    return replace(
        here,
        layers=here.layers + there.experts,
        experts=here.experts + there.experts,
        count=here.count.plus(none),
    )
