"""Language models at a place as a table: what fits, how long a context, how fast."""

from collections.abc import Sequence

from rich.table import Table

from outboard.cli.output import show
from outboard.cli.render import numbers
from outboard.i18n import _
from outboard.perf.serving.memory import Workload
from outboard.planner.serving import Served
from outboard.types.hardware import Place
from outboard.units import format_bytes


def render(found: Sequence[Served], place: Place, work: Workload, one_model: bool, limit: int | None) -> None:
    """The verdict, the table, and what was taken for granted."""
    fitting = [one for one in found if one.fits]
    shown = (found if one_model else fitting)[:limit]
    show(opening(found, place, work, one_model), "")
    if shown:
        show(_table(shown, work, one_model), "")
    show(_hidden(len(found), len(shown), work))


def opening(found: Sequence[Served], place: Place, work: Workload, one_model: bool) -> str:
    """The verdict in one sentence."""
    return _one(found, place) if one_model else _all(found, place, work)


def crowd(count: int, rate: int, one: Served) -> None:
    """How many users at once still get a rate."""
    form = _("{model} in {quantisation}: up to {count} users at once with {rate} tokens/s each")
    show(form.format(model=one.model.name, quantisation=one.quantisation, count=count, rate=rate))


def _all(found: Sequence[Served], place: Place, work: Workload) -> str:
    fitting = [one for one in found if one.fits]
    form = _("{count} of {all} models fit on {place} with {context} tokens of context, or the model's own if less")
    head = form.format(count=len(fitting), all=len(found), place=place.name, context=work.context)
    if not fitting:
        return f"{head}."
    largest = _("the largest: {model} in {quantisation}")
    return f"{head}; {largest.format(model=fitting[0].model.name, quantisation=fitting[0].quantisation)}."


def _one(found: Sequence[Served], place: Place) -> str:
    fitting = [one for one in found if one.fits]
    if not fitting:
        form = _("Does not fit: {model} needs {required} in {quantisation}, {place} has room for {room}.")
        least = found[-1]
        return form.format(
            model=least.model.name,
            required=format_bytes(least.required),
            quantisation=least.quantisation,
            place=place.name,
            room=format_bytes(least.room),
        )
    best = fitting[0]
    form = _("Fits in {quantisation}: {model}, {rate} tokens/s, up to {tokens} tokens of context.")
    return form.format(
        quantisation=best.quantisation, model=best.model.name, rate=_rate(best, "decode"), tokens=best.largest
    )


def _table(shown: Sequence[Served], work: Workload, one_model: bool) -> Table:
    table = Table(box=None, pad_edge=False)
    if not one_model:
        table.add_column(_("model"), no_wrap=True, overflow="ellipsis", max_width=20)
    table.add_column(_("type"), no_wrap=True)
    for title in (_("needs"), _("context"), _("writes"), _("reads"), _("loads in")):
        table.add_column(title, justify="right", no_wrap=True)
    for one in shown:
        speeds = (_rate(one, "decode"), _rate(one, "prefill")) if one.fits else (_("does not fit"), "")
        row = (one.quantisation, format_bytes(one.required), str(one.largest or "-"), *speeds, f"{one.loading:.0f} s")
        table.add_row(*(row if one_model else (one.model.name, *row)))
    return table


def _rate(one: Served, name: str) -> str:
    """The band, which says more than its middle."""
    if one.speed is None:
        return _("unknown")
    low, high = one.speed.band(name)
    return f"{numbers.plain(low)}–{numbers.plain(high)}"


def _hidden(known: int, shown: int, work: Workload) -> str:
    form = _(
        "Shown {shown} of {all}. Tokens/s of one user with llama.cpp, all layers on the GPU, {users} at once, cache in "
        "{cache}, flash attention; context: the longest that fits. Numbers: --json."
    )
    return form.format(shown=shown, all=known, users=work.users, cache=work.cache)
