"""Some steps in their stride as lanes: disk, processor, link, device."""

import math

import numpy as np

from outboard.i18n import _
from outboard.perf.input.events import LANES, Lanes, Span, simulate
from outboard.perf.input.load import load
from outboard.perf.input.pipeline import has_engine, input_times, worker_count
from outboard.perf.input.terms import cores, disk
from outboard.perf.time import PlaceArrays, replay
from outboard.planner.report.charts import COLOURS, SCHEMA, WIDTH, Spec
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace

SHOWN, BEFORE = 4, 60  # steps in the picture, and steps that run before it


def lanes(job: Job, trace: Trace, place: Place, batch: int) -> Lanes:
    """What one step needs in each lane; the device's share is all that it does without waiting for input."""
    step = replay(job, trace, np.array([float(batch)]), PlaceArrays.of([place]))
    device, link = float((step.resident + step.pauses)[0, 0]), float(step.copy[0, 0])
    overlapped = job.input_copy == "overlapped" and job.pinned
    if job.input_copy == "resident":
        link = 0.0
    sample = load(job, trace)
    if sample is None:
        return Lanes(0.0, 0.0, link, device, 1, job.prefetch, overlapped)
    micro = job.grad_accumulation if job.task != "infer" else 1
    here, speed, devices = (np.array([value]) for value in (cores(place).value, disk(place).value, float(place.count)))
    engines = np.array([float(has_engine(place.device.architecture))])
    times = input_times(job, sample, np.array([float(batch * micro)]), here, speed, devices, engines)
    read = float(times.disk[0, 0])
    workers = 0 if job.workers == 0 else math.ceil(float(worker_count(job, here, devices)[0]))
    making = float(times.alone[0, 0] - read / place.count)
    return Lanes(read, making, link, device + float(times.device[0, 0]), workers, job.prefetch, overlapped)


def stride(each: Lanes) -> list[Span]:
    """The spans of some steps once the pipeline is in its stride, the first step at 0 [s]."""
    spans = simulate(each, BEFORE + SHOWN + max(each.workers * each.prefetch, 1))
    steps = [span for span in spans if span.lane == "gpu"]
    begin, end = steps[BEFORE].start, steps[BEFORE + SHOWN - 1].end
    return [
        Span(span.lane, span.row, span.batch - BEFORE, max(span.start, begin) - begin, min(span.end, end) - begin)
        for span in spans
        if span.end > begin and span.start < end and span.end > span.start
    ]


def chart(spans: list[Span]) -> Spec:
    """Return the picture as a Vega-Lite specification; workers are rows of the processor's lane."""
    names = {"disk": _("disk"), "cpu": _("processor"), "link": _("link"), "gpu": _("device")}
    several = len({span.row for span in spans if span.lane == "cpu"}) > 1

    def lane(span: Span) -> str:
        return f"{names[span.lane]} {span.row + 1}" if span.lane == "cpu" and several else names[span.lane]

    rows = [
        {
            "lane": lane(span),
            "start": span.start * 1e3,
            "end": span.end * 1e3,
            "batch": span.batch + 1,
            "turn": str(span.batch % len(COLOURS)),
        }
        for span in spans
    ]
    order = [lane(span) for name in LANES for span in sorted(spans, key=lambda one: one.row) if span.lane == name]
    y = {"field": "lane", "type": "nominal", "sort": list(dict.fromkeys(order)), "title": None}
    x = {"field": "start", "type": "quantitative", "title": _("milliseconds"), "axis": {"grid": True}}
    colour = {"field": "turn", "type": "nominal", "legend": None, "scale": {"range": COLOURS}}
    bars = {"mark": {"type": "bar", "stroke": "white"}, "encoding": {"color": colour, "x2": {"field": "end"}}}
    text = {
        "transform": [{"calculate": "(datum.start + datum.end) / 2", "as": "middle"}],
        "mark": {"type": "text", "color": "white", "fontSize": 10},
        "encoding": {"text": {"field": "batch"}, "x": {**x, "field": "middle"}},
    }
    subtitle = _("each colour and number is a batch; a gap is a wait")
    return {
        "$schema": SCHEMA,
        "title": {"text": _("Four steps in their stride"), "subtitle": subtitle, "anchor": "start"},
        "width": WIDTH,
        "height": {"step": 24},
        "data": {"values": rows},
        "encoding": {"x": x, "y": y},
        "layer": [bars, text],
    }
