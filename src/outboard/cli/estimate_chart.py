"""``outboard estimate --chart FILE``: the rate against the link, and the lanes of some steps, as a picture."""

from pathlib import Path
from typing import Any

from outboard.cli import host_options, options
from outboard.errors import UsageError
from outboard.i18n import _


def run(workload: str, on: str, job: dict[str, Any], name: str) -> None:
    """Write the picture. Raises :class:`UsageError` for another ending than .svg and .png."""
    path = Path(name)
    if path.suffix.lower() not in (".svg", ".png"):
        raise UsageError(_("--chart writes .svg or .png, not '{name}'").format(name=name))
    from outboard import api
    from outboard.perf.estimate import estimate
    from outboard.planner.pictures import draw

    given = dict(job)
    [where] = host_options.places([on], host_options.taken(given))
    with options.recording(workload):
        asked, recorded = api.prepare(workload, **options.given(given))
        draw(asked, recorded, where, estimate(asked, recorded, where).batch, path)
