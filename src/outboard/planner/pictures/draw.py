"""Draws both pictures into one file."""

from pathlib import Path

from outboard.i18n import _
from outboard.planner.pictures import sensitivity, timeline
from outboard.planner.report.write import png, svg, write_file
from outboard.types.hardware import Place
from outboard.types.job import Job
from outboard.types.trace import Trace


def draw(job: Job, trace: Trace, place: Place, batch: int, path: Path) -> None:
    """Write the rate against the link, and below it the lanes of some steps, as SVG or PNG by its ending."""
    title = _("{workload}, {task}, {precision}, batch {batch}, on {place}").format(
        workload=trace.info.workload, task=job.task, precision=job.precision, batch=batch, place=place.name
    )
    found = sensitivity.sensitivity(job, trace, place, batch)
    above = sensitivity.chart(found, f"{trace.info.unit}/s", title)
    below = timeline.chart(timeline.stride(timeline.lanes(job, trace, place, batch)))
    both = {"$schema": above["$schema"], "vconcat": [_inner(above), _inner(below)]}
    both["resolve"] = {"scale": {"color": "independent"}}
    write_file(path, svg(both).encode() if path.suffix.lower() == ".svg" else png(both))


def _inner(spec: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in spec.items() if key != "$schema"}
