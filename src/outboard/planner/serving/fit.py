"""Which open language model fits where: in which quantisation, with how long a context, and how fast."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from outboard.perf.input.terms import disk
from outboard.perf.input.transfer import link_rate
from outboard.perf.memory import workspaces
from outboard.perf.memory.required import available
from outboard.perf.serving.layout import Layout, everything, on_host, per_device, sides
from outboard.perf.serving.memory import Workload, buffers, cache_bytes
from outboard.perf.serving.places import rates, usual_host
from outboard.perf.serving.quantisation import MIXES, Mix
from outboard.perf.serving.speed import Speed, coefficients
from outboard.perf.serving.weights import Weights, weights
from outboard.planner.serving.sources import PREFERRED
from outboard.types.evidence import Fact
from outboard.types.hardware import Place
from outboard.types.llm import LanguageModel

MEASURED = ("nvidia", "amd", "intel", "apple", "cpu")  # of whose devices something is known
MOST_USERS = 4096


@dataclass(frozen=True)
class Wanted:
    """How the weights are to lie. ``layers`` None: all on the devices, else as many as fit."""

    layers: int | None = None
    experts_on_host: bool = False
    way: str = "layer"
    host: Fact | None = None  # bandwidth of the host's memory [B/s]; None: as usual


@dataclass(frozen=True)
class Split:
    """A layout that fits, with its speed: ``layers`` of ``of`` on the devices, the rest on the host."""

    layout: Layout
    of: int
    host: float  # bytes that wait there [B]
    speed: Speed | None


@dataclass(frozen=True)
class Served:
    """One model in one quantisation at a place. Bytes are of all its devices together."""

    model: LanguageModel
    weights: Weights
    required: float  # [B]
    room: float  # [B]
    context: int  # that was asked for [tokens]
    largest: int  # longest context that fits, 0 where none does [tokens]
    speed: Speed | None  # None where it does not fit, and on devices that the model of speed knows nothing of
    loading: float  # until the weights are there [s]
    host: float  # bytes that wait in the host's memory [B]
    split: Split | None = None  # where not all fits on the devices: what does

    @property
    def quantisation(self) -> str:
        """What it is called."""
        return self.weights.name

    @property
    def fits(self) -> bool:
        """With the context and the layout that were asked for."""
        return self.required <= self.room


def room(place: Place) -> float:
    """What all devices of a place offer, less the high end of what their drivers keep [B]."""
    if place.device.vendor == "cpu":
        return available(place)
    kept = workspaces.high(workspaces.context(place.device))
    return place.count * max(available(place) - kept, 0.0)


def served(
    model: LanguageModel, mix: str | Mix | Weights, place: Place, work: Workload, wanted: Wanted | None = None
) -> Served:
    """``model`` in a quantisation, by its name or from its file. Several devices have buffers of their own each."""
    wanted = wanted or Wanted()
    lying = weights(model, MIXES[mix] if isinstance(mix, str) else mix)
    asked = replace(work, context=min(work.context, model.context))
    layout = layout_of(model, place, wanted)
    space = room(place)

    def asks(work: Workload) -> float:
        return needed(model, lying, work, place, layout)

    fits = asks(asked) <= space
    known = place.device.vendor in MEASURED
    host = wanted.host or usual_host()
    longest = largest(lambda tokens: asks(replace(asked, context=tokens)) <= space, model.context)
    return Served(
        model=model,
        weights=lying,
        required=asks(asked),
        room=space,
        context=asked.context,
        largest=longest,
        speed=rates(model, lying, place, asked, layout, _host(place, host)) if fits and known else None,
        loading=_loading(model, lying, place, layout),
        host=on_host(model, lying, asked, layout),
        split=None if fits or wanted.layers is not None else split(model, lying, place, asked, wanted),
    )


def split(model: LanguageModel, lying: Weights, place: Place, work: Workload, wanted: Wanted) -> Split | None:
    """The most layers that fit while the rest stays on the host; None where not one does, or there is no host."""
    if place.device.vendor in ("cpu", "apple"):
        return None

    def laid(layers: int) -> Layout:
        return layout_of(model, place, replace(wanted, layers=layers))

    most = largest(lambda layers: needed(model, lying, work, place, laid(layers)) <= room(place), model.layers)
    if not most:
        return None
    layout, host = laid(most), wanted.host or usual_host()
    rate = rates(model, lying, place, work, layout, host) if place.device.vendor in MEASURED else None
    return Split(layout, model.layers, on_host(model, lying, work, layout), rate)


def best(
    model: LanguageModel,
    place: Place,
    work: Workload,
    names: Sequence[str | Mix | Weights] = PREFERRED,
    wanted: Wanted | None = None,
) -> Served:
    """The widest of the quantisations ``names`` that fits; the narrowest, which does not, where none does."""
    narrowest = served(model, names[-1], place, work, wanted)
    if not narrowest.fits:
        return narrowest
    return next(one for name in names if (one := served(model, name, place, work, wanted)).fits)


def every(
    models: Iterable[LanguageModel],
    place: Place,
    work: Workload,
    names: Sequence[str],
    wanted: Wanted | None = None,
) -> list[Served]:
    """The best of each model, largest first of those that fit."""
    found = [best(model, place, work, names, wanted) for model in models]
    return sorted(found, key=lambda one: (not one.fits, -one.model.published))


def most_users(
    model: LanguageModel,
    mix: str | Mix | Weights,
    place: Place,
    work: Workload,
    rate: float,
    wanted: Wanted | None = None,
) -> int:
    """How many users at once fit and still get ``rate`` tokens a second each; 0 where not even one does."""

    def holds(users: int) -> bool:
        one = served(model, mix, place, replace(work, users=users), wanted)
        return one.speed is not None and one.speed.together / users >= rate

    return largest(holds, MOST_USERS)


def largest(holds: Callable[[int], bool], most: int) -> int:
    """The largest whole number from 1 to ``most`` of which ``holds`` is true, which it is up to there; else 0."""
    good, bad = 0, most + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good


def layout_of(model: LanguageModel, place: Place, wanted: Wanted) -> Layout:
    """Where the weights lie as ``wanted``; without the head where not all layers and one more are asked for."""
    if place.device.vendor == "cpu":
        return Layout(0, False)
    whole = replace(everything(model, place.count, wanted.way), experts_on_host=wanted.experts_on_host)
    if wanted.layers is None or wanted.layers > model.layers:
        return whole
    return replace(whole, layers=wanted.layers, head=False)


def needed(model: LanguageModel, lying: Weights, work: Workload, place: Place, layout: Layout) -> float:
    """On all devices together, each as full as the fullest [B]."""
    if place.device.vendor == "cpu":
        return lying.total + work.users * cache_bytes(model, work.context, work.cache) + buffers(model, work)
    return place.count * (per_device(model, lying, work, layout) + _engine(lying))


def _engine(lying: Weights) -> float:
    """What another engine than llama.cpp has on each device beside that, the embedding among it [B]."""
    if lying.engine == "llama.cpp":
        return 0.0
    return lying.embedding - lying.shared + coefficients()["engine_bytes"]


def _loading(model: LanguageModel, lying: Weights, place: Place, layout: Layout) -> float:
    """Until the weights are there: all from the disk, what goes to the devices over the link meanwhile [s]."""
    sent = sides(model, lying, layout).device.device
    return max(lying.total / disk(place).value, sent / (link_rate(place) * place.count))


def _host(place: Place, usual: Fact) -> Fact:
    return place.device.memory_bandwidth if place.device.vendor == "cpu" else usual
