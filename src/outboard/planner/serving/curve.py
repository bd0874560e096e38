"""The rate by the number of layers on the devices: what each more of them brings."""

from dataclasses import replace

from outboard.perf.serving.layout import on_host
from outboard.perf.serving.memory import Workload
from outboard.perf.serving.places import rates, usual_host
from outboard.perf.serving.weights import Weights
from outboard.planner.serving.fit import Split, Wanted, layout_of, needed, room
from outboard.types.hardware import Place
from outboard.types.llm import LanguageModel

POINTS = 12  # about as many rows as people read


def curve_of(model: LanguageModel, lying: Weights, place: Place, work: Workload, wanted: Wanted) -> tuple[Split, ...]:
    """From none to as many layers as fit, evenly; empty on a processor, which has no layers elsewhere."""
    if place.device.vendor in ("cpu", "apple"):
        return ()
    work = replace(work, context=min(work.context, model.context))
    step = max(round(model.layers / POINTS), 1)
    counts = sorted({*range(0, model.layers, step), model.layers, model.layers + 1})
    host, found = wanted.host or usual_host(), []
    for layers in counts:
        layout = layout_of(model, place, replace(wanted, layers=layers))
        if needed(model, lying, work, place, layout) > room(place):
            break
        rate = rates(model, lying, place, work, layout, host)
        found.append(Split(layout, model.layers, on_host(model, lying, work, layout), rate))
    return tuple(found)
