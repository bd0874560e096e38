"""What each part of a step costs, and so what removing it would gain; the verdict on the link first."""

from dataclasses import dataclass

import numpy as np

from outboard.i18n import _
from outboard.perf.time import PlaceArrays, StepReplay, replay
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace

NOTHING = 0.02  # a link that costs less is no problem


@dataclass(frozen=True)
class Loss:
    """One part of the step: ``gain`` is the rate without it over the rate with it, less 1 [1]."""

    name: str
    gain: float


def losses(job: Job, trace: Trace, place: Place, batch: int) -> tuple[Loss, ...]:
    """What each thing that a step waits for costs, dearest first. Work of the device itself is no loss."""
    step = replay(job, trace, np.array([float(batch)]), PlaceArrays.of([place]))
    total = float(step.total[0, 0])
    found = [Loss("link", total / float(step.without_link[0, 0]) - 1.0)]
    found += [Loss(name, _without(step, name, total)) for name in ("input", "collective", "launch", "pauses")]
    return tuple(sorted((loss for loss in found if loss.gain > 0), key=lambda loss: -loss.gain))


def _without(step: StepReplay, name: str, total: float) -> float:
    part = float(getattr(step, name)[0, 0])
    return total / (total - part) - 1.0 if 0 < part < total else 0.0


def link_verdict(found: tuple[Loss, ...], place: Place) -> str:
    """One sentence: whether the link is the problem."""
    by_name = {loss.name: loss.gain for loss in found}
    cost = by_name.get("link", 0.0)
    share = cost / (1.0 + cost)
    if cost < NOTHING:
        dearest = next((loss for loss in found if loss.name != "link" and loss.gain >= NOTHING), None)
        if dearest is None:
            return _("The link is not the problem: it costs {share:.0%}.").format(share=share)
        form = _("The link is not the problem: it costs {share:.0%}; {what} costs {other:.0%}.")
        other = dearest.gain / (1.0 + dearest.gain)
        return form.format(share=share, what=_names()[dearest.name], other=other)
    form = _("The link costs {share:.0%} of the rate here: without it the job would be {gain:.0%} faster.")
    return form.format(share=share, gain=cost)


def _names() -> dict[str, str]:
    return {
        "input": _("the input pipeline of the host"),
        "collective": _("the exchange between devices"),
        "launch": _("launching kernels"),
        "pauses": _("what interrupts the loop"),
    }
