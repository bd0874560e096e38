"""Language models at a place as a table: what fits, how long a context, how fast."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from outboard.cli.output import show
from outboard.cli.render import numbers
from outboard.i18n import _
from outboard.perf.serving.memory import Workload
from outboard.perf.serving.places import usual_host
from outboard.perf.serving.speed import Speed
from outboard.planner.serving import Served, Wanted
from outboard.types.hardware import Place
from outboard.units import format_bytes, format_si

if TYPE_CHECKING:
    from outboard.cli.fit_llm_extras import Extras
    from outboard.planner.serving.draft import Drafted
    from outboard.planner.serving.fit import Split


WORTH_SAYING = 4e9  # in the host's memory; every computer has that to spare [B]
USUAL = "q4_k_m"  # the quantisation that people take where they cannot have all


def render(
    found: Sequence[Served], place: Place, work: Workload, wanted: Wanted, one_model: bool, limit: int | None
) -> None:
    """The verdict, the table, and what was taken for granted."""
    fitting = [one for one in found if one.fits]
    shown = (found if one_model else fitting)[:limit]
    show(opening(found, place, work, one_model), "")
    if shown:
        show(_table(shown, place, one_model), "")
    show(_hidden(len(found), shown, place, work, wanted))


def render_extras(extras: "Extras") -> None:
    """What was asked for beside the table."""
    if extras.crowd is not None:
        form = _("{model} in {quantisation}: up to {count} users at once with {rate} tokens/s each")
        one = extras.about
        show(form.format(model=one.model.name, quantisation=one.quantisation, count=extras.crowd, rate=extras.rate))
    if extras.curve:
        show("", _curve(extras.curve, extras.about))
    if extras.drafted is not None:
        show("", _draft(extras.drafted, extras.about))


def _curve(points: "Sequence[Split]", one: Served) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(one.quantisation, no_wrap=True)
    for title in (_("on the host"), _("writes"), _("reads")):
        table.add_column(title, justify="right", no_wrap=True)
    for point in points:
        layers = _("all and the head") if point.layout.head else f"{point.layout.layers}/{point.of}"
        row = (format_bytes(point.host), _rate(point.speed, "decode"), _rate(point.speed, "prefill"))
        table.add_row(layers, *row)
    return table


def _draft(found: "Drafted", one: Served) -> str:
    if not found.tokens:
        form = _("{draft} as a draft does not pay: {model} alone is faster where {share} of its tokens are right")
        return form.format(draft=found.draft.name, model=one.model.name, share=f"{found.acceptance:.0%}")
    form = _(
        "{draft} as a draft, {count} tokens at a time of which {share} are right (--acceptance): {rate} tokens/s, "
        "{gain} times as many, for {memory} more memory"
    )
    text = form.format(
        draft=found.draft.name,
        count=found.tokens,
        share=f"{found.acceptance:.0%}",
        rate=numbers.plain(found.rate),
        gain=numbers.plain(found.gain),
        memory=format_bytes(found.memory),
    )
    return text if found.fits else text + "; " + _("the two do not fit together")


def opening(found: Sequence[Served], place: Place, work: Workload, one_model: bool) -> str:
    """The verdict in one sentence."""
    return _one(found, place) if one_model else _all(found, place, work)


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
        return _no(found, place)
    best = fitting[0]
    form = _("Fits in {quantisation}: {model}, {rate} tokens/s, up to {tokens} tokens of context.")
    text = form.format(
        quantisation=best.quantisation, model=best.model.name, rate=_rate(best.speed, "decode"), tokens=best.largest
    )
    if best.host < WORTH_SAYING or place.device.vendor == "cpu":
        return text
    return f"{text} " + _("{size} must be free in the host's memory.").format(size=format_bytes(best.host))


def _no(found: Sequence[Served], place: Place) -> str:
    least = found[-1]
    form = _("Does not fit: {model} needs {required} in {quantisation}, {place} has room for {room}.")
    text = form.format(
        model=least.model.name,
        required=format_bytes(least.required),
        quantisation=least.quantisation,
        place=place.name,
        room=format_bytes(least.room),
    )
    part = next((one for one in found if one.quantisation == USUAL and one.split), least)
    if part.split is None:
        return text
    form = _("{count} of {all} layers fit in {quantisation}, the rest on the processor: about {rate} tokens/s.")
    fit = form.format(
        count=part.split.layout.layers,
        all=part.split.of,
        quantisation=part.quantisation,
        rate=numbers.plain(part.split.speed.decode) if part.split.speed else _("unknown"),
    )
    return f"{text} {fit}"


def _table(shown: Sequence[Served], place: Place, one_model: bool) -> Table:
    table = Table(box=None, pad_edge=False)
    if not one_model:
        table.add_column(_("model"), no_wrap=True, overflow="ellipsis", max_width=20)
    table.add_column(_("type"), no_wrap=True)
    for title in (_("needs"), _("context"), _("writes"), _("reads"), _("loads in")):
        table.add_column(title, justify="right", no_wrap=True)
    for one in shown:
        row = (one.quantisation, format_bytes(one.required), str(one.largest or "-"), *_speeds(one))
        table.add_row(*(row if one_model else (one.model.name, *row)), f"{one.loading:.0f} s")
    return table


def _speeds(one: Served) -> tuple[str, str]:
    """Of what does not fit whole, with as many layers as do."""
    if one.fits:
        return _rate(one.speed, "decode"), _rate(one.speed, "prefill")
    if one.split is None:
        return _("does not fit"), ""
    part = one.split
    return f"{part.layout.layers}/{part.of}: {_rate(part.speed, 'decode')}", _rate(part.speed, "prefill")


def _rate(found: Speed | None, name: str) -> str:
    """The band, which says more than its middle."""
    if found is None:
        return _("unknown")
    low, high = found.band(name)
    return f"{numbers.plain(low)}–{numbers.plain(high)}"


def _hidden(known: int, shown: Sequence[Served], place: Place, work: Workload, wanted: Wanted) -> str:
    form = _(
        "Shown {shown} of {all}. Tokens/s of one user with {engine}, {layers}, {users} at once, cache in {cache}, "
        "flash attention; context: the longest that fits. Numbers: --json."
    )
    text = form.format(
        shown=len(shown),
        all=known,
        users=work.users,
        cache=work.cache,
        layers=_layers(place, wanted),
        engine=shown[0].weights.engine if shown else "llama.cpp",
    )
    host = any(one.split for one in shown) or wanted.experts_on_host or wanted.layers is not None
    if not host or place.device.vendor == "cpu":
        return text
    memory = wanted.host or usual_host()
    said = _("{part}: layers on the GPU; the others at {rate} of the host's memory").format(
        part="n/m", rate=format_si(memory.value, "B/s")
    )
    assumed = "" if wanted.host else " " + _("(assumed: --host-bandwidth)")
    return f"{text} {said}{assumed}."


def _layers(place: Place, wanted: Wanted) -> str:
    if place.device.vendor == "cpu":
        return _("all on the processor")
    where = _("all layers on the GPU") if place.count == 1 else _("layers in turn on {count} GPUs")
    if wanted.way == "tensor" and place.count > 1:
        where = _("every layer shared by {count} GPUs")
    if wanted.layers is not None:
        where = _("{layers} layers on the GPU")
    text = where.format(count=place.count, layers=wanted.layers)
    return text + ", " + _("experts on the host") if wanted.experts_on_host else text
