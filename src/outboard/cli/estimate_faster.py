"""``outboard estimate --faster``: whether the link is the problem, and what gets the rate back."""

from typing import TYPE_CHECKING, Any

from outboard.cli import host_options, language, options, output

if TYPE_CHECKING:
    from outboard.planner.faster import Faster, Loss, Start


def run(workload: str, on: str, job: dict[str, Any], as_json: bool) -> int:
    """Forecast every change and print those that gain; 0 in any case that could be forecast."""
    from outboard import api, tracing
    from outboard.perf.estimate import estimate
    from outboard.planner.faster import faster, losses, start
    from outboard.planner.faster.losses import link_verdict

    [where] = host_options.places([on], host_options.taken(job))
    with options.recording(workload), language.english(as_json):
        asked, recorded = api.prepare(workload, **options.given(job))
        result = estimate(asked, recorded, where)
        lost = losses(asked, recorded, where, result.batch)
        found = faster(asked, recorded, where, result.batch, tracing.trace)
        begun = start(asked, recorded, where, result.batch)
        verdict = link_verdict(lost, where)
    if as_json:
        output.write_json(document(where.name, result.batch, verdict, lost, found, begun))
    else:
        from outboard.cli.render.faster import render

        render(verdict, found, begun)
    return 0


def document(
    place: str, batch: int, verdict: str, lost: "tuple[Loss, ...]", found: "tuple[Faster, ...]", begun: "Start"
) -> dict[str, Any]:
    """The same for programs: seconds, bytes and ratios."""
    return {
        "place": place,
        "batch": batch,
        "verdict": verdict,
        "losses": [{"part": loss.name, "gain_without": loss.gain} for loss in lost],
        "changes": [
            {
                "name": one.name,
                "text": one.text,
                "why": one.why,
                "code": one.code,
                "gain": one.gain,
                "fits": one.fits,
                "place": one.place.name,
            }
            for one in found
        ],
        "start": {
            "weights_bytes": begun.weights,
            "load_pageable_seconds": begun.load_pageable,
            "load_pinned_seconds": begun.load_pinned,
            "first_step_seconds": begun.first_step,
        },
    }
