"""Which open language model fits where: in which quantisation, with how long a context, and how fast."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from outboard.perf.input.terms import disk
from outboard.perf.input.transfer import link_rate
from outboard.perf.memory import workspaces
from outboard.perf.memory.required import available
from outboard.perf.serving.memory import Workload, largest_context, memory
from outboard.perf.serving.quantisation import MIXES, Mix
from outboard.perf.serving.speed import Speed, speed
from outboard.types.hardware import Place
from outboard.types.llm import LanguageModel

# From the one that keeps most of the model to the one that keeps least; people seldom go below the last.
PREFERRED = ("f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k")
MEASURED = ("nvidia", "amd", "intel")  # whose GPUs published rates of llama.cpp tell something about


@dataclass(frozen=True)
class Served:
    """One model in one quantisation at a place. Bytes are of all its devices together."""

    model: LanguageModel
    quantisation: str
    required: float  # [B]
    room: float  # [B]
    context: int  # that was asked for [tokens]
    largest: int  # longest context that fits, 0 where none does [tokens]
    speed: Speed | None  # None where it does not fit, and on devices that the model of speed knows nothing of
    loading: float  # until the weights are there [s]

    @property
    def fits(self) -> bool:
        """With the context that was asked for."""
        return self.required <= self.room


def room(place: Place) -> float:
    """What all devices of a place offer, less the high end of what their drivers keep [B]."""
    kept = workspaces.high(workspaces.context(place.device))
    return place.count * max(available(place) - kept, 0.0)


def served(model: LanguageModel, name: str, place: Place, work: Workload) -> Served:
    """``model`` in the quantisation ``name``. Several devices hold layers in turn, each with buffers of its own."""
    mix: Mix = MIXES[name]
    asked = replace(work, context=min(work.context, model.context))
    parts = memory(model, mix, asked)
    shared = (place.count - 1) * parts.buffers
    space = room(place)
    fits = parts.device + shared <= space
    known = place.device.vendor in MEASURED
    rate = speed(model, mix, place.device, asked.context, asked.users) if fits and known else None
    return Served(
        model=model,
        quantisation=name,
        required=parts.device + shared,
        room=space,
        context=asked.context,
        largest=largest_context(model, mix, asked, space - shared),
        speed=rate,
        loading=parts.weights / min(link_rate(place) * place.count, disk(place).value),
    )


def best(model: LanguageModel, place: Place, work: Workload, names: Sequence[str] = PREFERRED) -> Served:
    """The widest of the quantisations ``names`` that fits; the narrowest, which does not, where none does."""
    narrowest = served(model, names[-1], place, work)
    if not narrowest.fits:
        return narrowest
    return next(one for name in names if (one := served(model, name, place, work)).fits)


def every(models: Iterable[LanguageModel], place: Place, work: Workload, names: Sequence[str]) -> list[Served]:
    """The best of each model, largest first of those that fit."""
    found = [best(model, place, work, names) for model in models]
    return sorted(found, key=lambda one: (not one.fits, -one.model.published))


def most_users(model: LanguageModel, name: str, place: Place, work: Workload, rate: float) -> int:
    """How many users at once fit and still get ``rate`` tokens a second each; 0 where not even one does."""

    def holds(users: int) -> bool:
        one = served(model, name, place, replace(work, users=users))
        return one.speed is not None and one.speed.together / users >= rate

    good, bad = 0, 4097
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good
