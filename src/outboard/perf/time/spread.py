"""Why a forecast of step time may be off: residuals of the model, facts of the device, facts of the link."""

import math
from statistics import NormalDist

from outboard.i18n import _
from outboard.perf.collectives.terms import exchange_sigma
from outboard.perf.input.terms import input_sigma
from outboard.perf.time.step import StepReplay
from outboard.types.evidence import Fact
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace
from outboard.uncertainty import Cause, fact_sigma, issue_sigma, step_sigma

RESIDENT = 0.03  # spread of a rate that was measured on the device itself, from run to run (assumed)


def step_causes(job: Job, trace: Trace, place: Place, step: StepReplay) -> list[Cause]:
    """Causes at the first place and batch of ``step``.

    The residuals of the model scale with the resident part of the step, the spread of a fact with the share of the
    step that it governs: a link known to 20 % moves a step that spends a tenth of its time on the link by 2 %.
    """
    total = float(step.total[0, 0])
    share = {name: float(getattr(step, name)[0, 0]) / total for name in ("compute", "launch", "link", "collective")}
    memory = float(step.memory[0, 0] + step.optimizer[0, 0]) / total
    resident = float(step.resident[0, 0]) / total
    known = trace.info.unit == "images"
    device, old = place.device, job.software == "torch-1"
    own = RESIDENT if place.resident_rate else step_sigma(job.task, device.architecture, known, old)
    feeding = input_sigma(job, trace, place)
    paced = _pace(step, own, feeding) if feeding else 0.0
    rate = device.matmul.get(job.precision.removeprefix("amp-"))
    waiting = [Cause(_("the host's input pipeline"), paced * feeding)]
    on_device = [
        Cause(_("the model's own error"), resident * own),
        Cause(_("speed of the host's processor"), share["launch"] * issue_sigma()),
        Cause(_("memory bandwidth of the device"), memory * _sigma(device.memory_bandwidth)),
        Cause(_("arithmetic rate of the device"), share["compute"] * (_sigma(rate) if rate else 0.0)),
        Cause(_("link bandwidth"), share["link"] * _sigma(place.link.h2d)),
        Cause(_("exchange between devices"), share["collective"] * exchange_sigma(place)),
    ]
    return waiting + [Cause(cause.name, (1.0 - paced) * cause.sigma) for cause in on_device]


def _pace(step: StepReplay, own: float, feeding: float) -> float:
    """How far the host's pipeline sets the pace: the sensitivity of the longer of two uncertain times to one of them.

    For lognormal times it is the probability that this one is the longer (Clark 1961, The greatest of a finite set of
    random variables).
    """
    feed = float(step.feed[0, 0])
    others = float(step.resident[0, 0] + step.link[0, 0])
    return NormalDist().cdf(math.log(feed / others) / math.hypot(own, feeding))


def _sigma(fact: Fact) -> float:
    return fact_sigma(fact.value, fact.low, fact.high)
