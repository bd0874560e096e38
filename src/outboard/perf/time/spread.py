"""Why a forecast of step time may be off: residuals of the model, facts of the device, facts of the link."""

from outboard.i18n import _
from outboard.perf.time.step import StepReplay
from outboard.types.evidence import Fact
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace
from outboard.uncertainty import Cause, fact_sigma, issue_sigma, step_sigma


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
    rate = device.matmul.get(job.precision.removeprefix("amp-"))
    exchange = place.interconnect or place.link
    return [
        Cause(_("the model's own error"), resident * step_sigma(job.task, device.architecture, known, old)),
        Cause(_("speed of the host's processor"), share["launch"] * issue_sigma()),
        Cause(_("memory bandwidth of the device"), memory * _sigma(device.memory_bandwidth)),
        Cause(_("arithmetic rate of the device"), share["compute"] * (_sigma(rate) if rate else 0.0)),
        Cause(_("link bandwidth"), share["link"] * _sigma(place.link.h2d)),
        Cause(_("exchange between devices"), share["collective"] * max(_sigma(exchange.h2d), 0.3)),
    ]


def _sigma(fact: Fact) -> float:
    return fact_sigma(fact.value, fact.low, fact.high)
