"""``outboard measure``: what this machine really does, or how a job really runs on it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from outboard.cli import language, options, output, parameters
from outboard.i18n import _

if TYPE_CHECKING:
    from outboard.measuring.step import Ran
    from outboard.types.measured import Figure, JobMeasurement


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    text = _("A model to run for real here; without one, the machine itself is measured.")
    given = [
        parameters.argument("workload", "WORKLOAD", text, required=False),
        parameters.flag("quick", "--quick", _("Fewer repetitions and no minute under load: half a minute.")),
        parameters.flag("on_cpu", "--cpu", _("Only the processor, even where there is a GPU.")),
        *options.job_options(),
    ]
    parameters.command(app, "measure", run, _("Measure this machine, or a job on it, for forecasts to use."), given)


def run(workload: str | None, quick: bool, on_cpu: bool, as_json: bool, **job: Any) -> int:
    """Measure, save, print."""
    from outboard.tracing.sources import require_torch

    require_torch()
    with language.english(as_json):
        return _machine(quick, on_cpu, as_json) if workload is None else _job(workload, job, quick, as_json)


def _machine(quick: bool, on_cpu: bool, as_json: bool) -> int:
    from outboard.measuring import profile
    from outboard.measuring.machine import this
    from outboard.store import Store

    device = "" if on_cpu else profile.gpu()
    if not device and not on_cpu:
        output.warn(_("torch finds no GPU here; the processor, the disk and the input work are measured"))
    listed = profile.plan(device, quick)
    store = Store()
    with _bar(len(listed)) as done:
        kept = profile.measure(listed, store, lambda step, _found: done(step.name), output.warn)
    if as_json:
        output.write_json({"machine": this().key, "store": str(store.path), "figures": [_plain(one) for one in kept]})
    else:
        _show(kept, this().name)
    return 0


def _plain(figure: "Figure") -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(figure)


def _show(kept: "list[Figure]", name: str) -> None:
    from rich.table import Table

    shown = [one for one in kept if not one.name.startswith("optimizer.") or one.name.endswith("adamw.element")]
    form = _("Measured {count} figures of {name}; forecasts with --on cpu use them from now on.")
    table = Table(box=None, pad_edge=False)
    for title in (_("figure"), _("value"), _("low"), _("high"), _("unit"), _("repetitions")):
        table.add_column(title, justify="left" if title in (_("figure"), _("unit")) else "right")
    for one in shown:
        numbers = [f"{number:.3g}" for number in (one.value, one.low, one.high)]
        table.add_row(one.name, *numbers, one.unit, str(one.repetitions))
    hidden = _("Hidden: {count} figures of optimizers (--json).").format(count=len(kept) - len(shown))
    output.show(form.format(count=len(kept), name=name), "", table, "", hidden)


def _job(workload: str, job: dict[str, Any], quick: bool, as_json: bool) -> int:
    from outboard import api, measuring
    from outboard.measuring import recall, step
    from outboard.perf.estimate import estimate
    from outboard.store import Store

    loop = {"input_copy": "resident", "gradients_released": "before-forward", **options.given(job)}
    with options.recording(workload):
        asked, trace = api.prepare(workload, **loop)
    store = Store()
    result = estimate(asked, trace, measuring.place_here(store))
    asked = asked.model_copy(update={"batch_size": result.batch})
    with output.waiting(_("Running {workload} at batch {batch}").format(workload=workload, batch=result.batch)):
        ran = step.run(asked, "cpu", step.PATIENCE / 3 if quick else step.PATIENCE)
    measured = recall.keep(asked, result.batch, "cpu", ran, result.step.seconds.value, store)
    _tell(measured, ran, as_json)
    return 0


def _tell(measured: "JobMeasurement", ran: "Ran", as_json: bool) -> None:
    if as_json:
        document = {"job": measured.cells, "device": measured.device, "steps": ran.steps, "seconds": measured.value}
        spread = {"low": measured.low, "high": measured.high, "forecast": measured.forecast, "error": measured.error}
        output.write_json(document | spread)
        return
    form = _("A step takes {seconds:.3g} s ({low:.3g} to {high:.3g}, {steps} steps) at batch {batch}.")
    batch = measured.cells["batch_size"]
    output.write(form.format(seconds=ran.seconds, low=ran.low, high=ran.high, steps=ran.steps, batch=batch))
    if measured.forecast is not None and measured.error is not None:
        form = _("Forecast before: {forecast:.3g} s, {error:+.0%}. The next forecast of this job here uses the run.")
        output.write(form.format(forecast=measured.forecast, error=measured.error))


@contextmanager
def _bar(total: int) -> Iterator[Callable[[str], None]]:
    """A bar on stderr that names what was done last, where a person looks on."""
    if not sys.stderr.isatty():
        yield lambda name: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(_("measuring"), total=total)
        yield lambda name: bar.update(task, advance=1, description=name)
