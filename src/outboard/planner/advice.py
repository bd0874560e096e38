"""Remedies as sentences on an estimate."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from outboard.i18n import _
from outboard.planner.remedies import Remedy, Retrace, larger_devices, remedies
from outboard.types.estimate import Estimate
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace
from outboard.units import format_bytes

SHOWN = 6


def with_levers(
    estimate: Estimate,
    job: Job,
    trace: Trace,
    place: Place,
    retrace: Retrace | None = None,
    others: Callable[[], Sequence[Place]] = tuple,
) -> Estimate:
    """The estimate with what would make it fit, best first; unchanged where it fits already.

    ``others`` gives the places among which a device with enough memory is sought.
    """
    if estimate.verdict not in ("does_not_fit", "tight"):
        return estimate
    found = remedies(job, trace, place, estimate.batch, retrace)
    lines = [_sentence(remedy) for remedy in found[:SHOWN]]
    larger = larger_devices(job, trace, others(), estimate.batch)
    if larger:
        lines.append(_("a device with more memory: {names}").format(names=", ".join(one.device.id for one in larger)))
    return replace(estimate, levers=tuple(lines))


def _sentence(remedy: Remedy) -> str:
    template = (
        _("{change}: saves {saved}, {slowdown:.2f} times the time per sample; fits")
        if remedy.fits
        else _("{change}: saves {saved}, {slowdown:.2f} times the time per sample; not enough alone")
    )
    return template.format(change=remedy.text, saved=format_bytes(remedy.saved), slowdown=remedy.slowdown)
