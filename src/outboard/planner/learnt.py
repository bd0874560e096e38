"""Hours of jobs that ran at a place before: measured there, so that they stand before any forecast."""

from dataclasses import replace

from outboard.i18n import _
from outboard.measuring import recall
from outboard.planner.forecasts import Forecast
from outboard.store import Store
from outboard.types.evidence import Evidence, Fact
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.measured import JobMeasurement
from outboard.types.trace import Trace

HOUR = 3600.0
# What a trace settles where the job left it open; measurements are kept under the settled job.
SETTLED = (
    "task",
    "precision",
    "optimizer",
    "image_size",
    "seq_len",
    "memory_format",
    "attention",
    "grad_checkpointing",
)
Known = dict[tuple[str, str, str], JobMeasurement]


def known(store: Store | None = None) -> Known:
    """The newest measured step of each job at each place."""
    found = (store or Store()).measurements()
    return {(one.machine, one.device, one.job): one for one in found if one.quantity == recall.QUANTITY}


def as_run(one: Forecast, job: Job, trace: Trace, place: Place, steps: float, known: Known) -> Forecast:
    """The forecast with hours as they were measured; itself where this job never ran there."""
    if not known or one.hours is None or one.batch is None:
        return one
    settled = job.model_copy(update={name: getattr(trace.info, name) for name in SETTLED})
    device = place.device.id
    key = recall.key(recall.cells(settled, one.batch, device, place.count))
    found = known.get((recall.machine_of(place), device, key))
    if found is None:
        return one
    low, high = found.low or found.value, found.high or found.value
    hours = [steps * seconds / HOUR for seconds in (low, found.value, high)]
    form = _("hours as measured in a run there on {date}; forecast without it: {hours:.3g} h")
    note = form.format(date=found.date, hours=one.hours.value)
    source = _("a run at this place on {date}").format(date=found.date)
    fact = Fact(hours[1], "h", source, Evidence.MEASURED_HERE, low=hours[0], high=hours[2], note=note)
    return replace(one, hours=fact, notes=(*one.notes, note))
