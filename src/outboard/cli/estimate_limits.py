"""What ``outboard estimate`` answers instead of a whole forecast: one number, a curve, a program."""

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from outboard.cli import host_options, language, options, output, parameters
from outboard.cli.choices import one_of
from outboard.errors import UsageError
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.planner.curves import Point, Relative
    from outboard.planner.limits import Longest
    from outboard.types.hardware import Place
    from outboard.types.job import Job
    from outboard.types.trace import Trace

NAMES = ("max_batch", "max_seq_len", "smallest_gpu", "largest_model", "curve", "check")
CURVES = ("batch", "seq-len")


def limit_options() -> list[inspect.Parameter]:
    """At most one of them may be given."""
    return [
        parameters.flag("max_batch", "--max-batch", _("Only the largest batch that fits.")),
        parameters.flag(
            "max_seq_len", "--max-seq-len", _("Only the longest sequence that fits at this batch, or at 1.")
        ),
        parameters.flag("smallest_gpu", "--smallest-gpu", _("The GPUs with the least memory on which the job fits.")),
        parameters.flag("largest_model", "--largest-model", _("The largest model of the same family that fits.")),
        parameters.option(
            "curve",
            "--curve",
            "|".join(CURVES),
            _("Memory against the batch or the length of sequences."),
            one_of("--curve", CURVES),
        ),
        parameters.flag("check", "--check", _("Print a short program that measures the same peak on the real GPU.")),
    ]


def taken(given: dict[str, Any]) -> tuple[str, Any] | None:
    """Take these options out of ``given``: the one that was asked for, with its value."""
    asked = [(name, value) for name in NAMES if (value := given.pop(name, None))]
    if len(asked) > 1:
        raise UsageError(one_of_them([name for name, _value in asked]))
    return asked[0] if asked else None


def one_of_them(names: Sequence[str]) -> str:
    """What to say to options that exclude each other."""
    flags = ", ".join("--" + name.replace("_", "-") for name in names)
    return _("choose one of {flags}").format(flags=flags)


def answer(what: str, value: Any, workload: str, on: str, job: dict[str, Any], as_json: bool) -> int:
    """Print the answer; 1 where nothing fits."""
    from outboard import api

    [where] = host_options.places([on], host_options.taken(job))
    with options.recording(workload), language.english(as_json):
        asked, recorded = api.prepare(workload, **options.given(job))
        if what == "max_batch":
            return _largest(asked, recorded, where, as_json)
        if what == "max_seq_len":
            return _longest(asked, recorded, where, workload, as_json)
        if what == "smallest_gpu":
            return _smallest(asked, recorded, as_json)
        if what == "largest_model":
            return _relatives(asked, where, workload, as_json)
        if what == "curve":
            return _curve(value, asked, recorded, where, workload, as_json)
        return _program(asked, recorded, where, as_json)


def _batch(job: "Job") -> int:
    return job.batch_size if isinstance(job.batch_size, int) else 1


def _largest(job: "Job", trace: "Trace", place: "Place", as_json: bool) -> int:
    from outboard.perf.memory import safe_max_batch

    batch = int(safe_max_batch(job, trace, [place])[0])
    if as_json:
        output.write_json({"place": place.name, "max_batch": batch})
    else:
        output.write(str(batch))
    return int(not batch)


def _needs_sequences(trace: "Trace", workload: str, flag: str) -> None:
    if trace.info.seq_len is None:
        raise UsageError(_("{workload} reads no sequences; leave {flag} out").format(workload=workload, flag=flag))


def _longest(job: "Job", trace: "Trace", place: "Place", workload: str, as_json: bool) -> int:
    from outboard import tracing
    from outboard.planner.limits import longest_sequence

    _needs_sequences(trace, workload, "--max-seq-len")
    found = longest_sequence(job, trace, place, _batch(job), tracing.trace)
    if as_json:
        output.write_json(
            {"place": place.name, "batch": _batch(job), "max_seq_len": found.tokens, "bounded": found.bounded}
        )
    else:
        output.write(_sentence(found, _batch(job)))
    return int(found.tokens == 0)


def _sentence(found: "Longest", batch: int) -> str:
    form = _("{tokens} tokens at batch {batch}; the model takes no longer ones") if found.bounded else None
    return (form or _("{tokens} tokens at batch {batch}")).format(tokens=found.tokens, batch=batch)


def _smallest(job: "Job", trace: "Trace", as_json: bool) -> int:
    from outboard import api
    from outboard.planner.remedies import larger_devices

    found = larger_devices(job, trace, api.every_place(), _batch(job), most=8)
    if as_json:
        output.write_json({"batch": _batch(job), "places": [place.name for place in found]})
    else:
        from outboard.cli.render.limits import devices

        output.show(devices(found, _batch(job)))
    return int(not found)


def _relatives(job: "Job", place: "Place", workload: str, as_json: bool) -> int:
    from outboard import tracing
    from outboard.cli.relatives import relatives as alike
    from outboard.planner.curves import relatives

    found = relatives(job, place, _batch(job), alike(workload), tracing.trace)
    if as_json:
        output.write_json({"place": place.name, "batch": _batch(job), "models": [_model(one) for one in found]})
    else:
        from outboard.cli.render.limits import models

        output.show(*models(found, place.name))
    return int(not any(one.fits for one in found))


def _model(one: "Relative") -> dict[str, Any]:
    return {
        "workload": one.workload,
        "parameters": one.parameters,
        "required_bytes": one.required,
        "fits": one.fits,
    }


def _curve(kind: str, job: "Job", trace: "Trace", place: "Place", workload: str, as_json: bool) -> int:
    from outboard import tracing
    from outboard.planner.curves import by_batch, by_length

    if kind == "batch":
        points: Sequence[Point] = by_batch(job, trace, place)
    else:
        _needs_sequences(trace, workload, "--curve seq-len")
        points = by_length(job, place, _batch(job), tracing.trace)
    if as_json:
        output.write_json({"place": place.name, "by": kind, "points": [_point(point) for point in points]})
    else:
        from outboard.cli.render.limits import curve

        output.show(*curve(points, kind, place))
    return int(not any(point.fits for point in points))


def _point(point: "Point") -> dict[str, Any]:
    return {
        "size": point.size,
        "required_bytes": point.required,
        "low": point.low,
        "high": point.high,
        "fits": point.fits,
    }


def _program(job: "Job", trace: "Trace", place: "Place", as_json: bool) -> int:
    """The program that measures what was forecast, with the forecast as its first line."""
    from outboard.perf.estimate import estimate
    from outboard.tracing.program import program
    from outboard.units import format_bytes

    result = estimate(job, trace, place)
    text = program(job, trace.info.workload, result.batch)
    peak, reserved = result.memory.peak.value, result.memory.reserved.value
    if as_json:
        document = {"place": result.place, "batch": result.batch, "peak": peak, "reserved": reserved, "program": text}
        output.write_json(document)
    else:
        said = [_("unknown") if size is None else format_bytes(size) for size in (peak, reserved)]
        output.write("# " + _("forecast: {peak} allocated, {reserved} reserved").format(peak=said[0], reserved=said[1]))
        output.write(text.rstrip())
    return 0
