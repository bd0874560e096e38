"""Several forecasts side by side, best first."""

from collections.abc import Sequence

from rich.table import Table

from outboard.cli.output import show
from outboard.cli.render import numbers, words
from outboard.cli.render.estimate import rate
from outboard.i18n import _
from outboard.types.estimate import Estimate

PLACE_WIDTH = 26


def render(results: Sequence[Estimate], limit: int | None) -> None:
    """Print the first ``limit`` of ``results``, or all of them."""
    shown = results[:limit]
    show(_verdict(results), "", _table(shown), "", _hidden(len(shown), len(results)))


def _verdict(results: Sequence[Estimate]) -> str:
    fitting = [result for result in results if result.verdict in {"fits", "tight"}]
    if not fitting:
        return _("Fits at none of {count} places.").format(count=len(results))
    best = fitting[0]
    form = _("Fits at {fitting} of {count} places; fastest: {place}, {rate}.")
    return form.format(fitting=len(fitting), count=len(results), place=best.place, rate=rate(best))


def _table(results: Sequence[Estimate]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(_("place"), no_wrap=True)
    table.add_column(_("fit"))
    table.add_column(_("batch (safe)"), justify="right")
    table.add_column(words.unit(results[0].step.throughput.unit) if results else "", justify="right")
    table.add_column("", no_wrap=True)
    table.add_column(_("bottleneck"))
    table.add_column(_("link"), justify="right")
    for result in results:
        table.add_row(*_row(result))
    return table


def _row(result: Estimate) -> list[str]:
    step = result.step
    safe = numbers.UNKNOWN if result.safe_max_batch is None else str(result.safe_max_batch)
    return [
        _place(result.place),
        words.short_verdict(result.verdict),
        f"{result.batch} ({safe})",
        numbers.plain(step.throughput.value) if step.throughput.value is not None else numbers.UNKNOWN,
        numbers.short_span(step.throughput),
        words.short_part(step.bottleneck),
        "" if step.link_slowdown.value is None else f"×{numbers.plain(step.link_slowdown.value)}",
    ]


def _place(name: str) -> str:
    """The name of a place, on two lines where it is too long for one."""
    return name if len(name) <= PLACE_WIDTH else name.replace("@", "\n  @")


def _hidden(shown: int, count: int) -> str:
    return _("Shown {shown} of {count} (--limit). Why: outboard estimate … --explain, or --json.").format(
        shown=shown, count=count
    )
