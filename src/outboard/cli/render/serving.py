"""A language model that is served, and what its tokens cost."""

from rich.table import Table

from outboard.cli.output import show
from outboard.cli.render import numbers
from outboard.i18n import _
from outboard.perf.serving.memory import Workload
from outboard.perf.serving.speed import Speed
from outboard.planner.serving import Served
from outboard.planner.serving.cost import TokenCost
from outboard.types.hardware import Place
from outboard.units import format_bytes


def render(one: Served, place: Place, work: Workload, cost: TokenCost | None, read: float) -> None:
    """The verdict, sizes and rates, money, and what was taken for granted."""
    show(_verdict(one, place, cost), "")
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    for row in (*_sizes(one), *_rates(one, work), *_money(cost)):
        table.add_row(*row)
    show(table, "")
    form = _(
        "{model} with {engine}, {context} tokens of context for each of {users}, cache in {cache}; {read} tokens read "
        "for each that is written. Every quantisation: outboard fit-llm; over years: outboard plan."
    )
    show(
        form.format(
            model=one.model.name,
            engine=one.weights.engine,
            context=one.context,
            users=work.users,
            cache=work.cache,
            read=numbers.plain(read),
        )
    )


def _verdict(one: Served, place: Place, cost: TokenCost | None) -> str:
    if not one.fits:
        form = _("Does not fit: {model} needs {required} in {quantisation}, {place} has room for {room}")
        text = form.format(
            model=one.model.name,
            required=format_bytes(one.required),
            quantisation=one.quantisation,
            place=place.name,
            room=format_bytes(one.room),
        )
        if one.split is None:
            return text + "."
        part = _("{count} of {all} layers do").format(count=one.split.layout.layers, all=one.split.of)
        return f"{text}; {part}."
    if one.speed is None:
        return _("Fits in {quantisation}; its speed is unknown there.").format(quantisation=one.quantisation)
    form = _("Fits in {quantisation}; {rate} tokens/s together ({span}).")
    text = form.format(
        quantisation=one.quantisation,
        rate=numbers.plain(one.speed.together),
        span=_span(one.speed, "together"),
    )
    return text if cost is None or cost.api is None else f"{text} {_against(cost)}"


def _against(cost: TokenCost) -> str:
    """The API beside the cheapest of the others."""
    assert cost.api is not None
    api = _dollars(cost.api)
    if cost.cheapest == "api":
        return _("The API is cheapest: {api} a million tokens.").format(api=api)
    if cost.paid_off is not None and cost.bought is not None:
        form = _("Against the API at {api} a million, a GPU for {price} is paid off after {count} million tokens.")
        return form.format(api=api, price=f"{cost.bought.value:,.0f} USD", count=numbers.plain(cost.paid_off))
    return _("The API is dearer: {api} a million tokens.").format(api=api)


def _sizes(one: Served) -> list[tuple[str, str, str]]:
    return [
        (_("must be free"), format_bytes(one.required), _("of {room}").format(room=format_bytes(one.room))),
        (_("host memory"), format_bytes(one.host), ""),
        (_("longest context"), str(one.largest or "-"), _("tokens")),
        (_("loads in"), f"{one.loading:.0f} s", ""),
    ]


def _rates(one: Served, work: Workload) -> list[tuple[str, str, str]]:
    speed = one.speed or (one.split.speed if one.split else None)
    if speed is None:
        return []
    rows = [(_("writes"), numbers.plain(speed.decode), f"tokens/s, {_span(speed, 'decode')}")]
    if work.users > 1:
        rows.append((_("writes together"), numbers.plain(speed.together), f"tokens/s, {_span(speed, 'together')}"))
    return [*rows, (_("reads"), numbers.plain(speed.prefill), f"tokens/s, {_span(speed, 'prefill')}")]


def _money(cost: TokenCost | None) -> list[tuple[str, str, str]]:
    if cost is None:
        return []
    rows: list[tuple[str, str, str]] = []
    if cost.watts is not None:
        low, high = cost.watts.low or 0.0, cost.watts.high or 0.0
        span = _("{low} to {high} W with the host").format(low=f"{low:.0f}", high=f"{high:.0f}")
        rows.append((_("draws"), f"{cost.watts.value:.0f} W", span))
    each = _("a million written tokens, {low} to {high}")
    for title, value, more in (
        (_("energy"), cost.energy, ""),
        (_("rented"), cost.rented, f"; {cost.offer.provider}" if cost.offer else ""),
    ):
        if value is None:
            rows.append((title, _("unknown"), ""))
            continue
        span = each.format(low=_dollars(value / cost.spread), high=_dollars(value * cost.spread))
        rows.append((title, _dollars(value), span + more))
    if cost.api is not None:
        rows.append((_("API"), _dollars(cost.api), _("a million written tokens")))
    return rows


def _dollars(value: float) -> str:
    return numbers.prose(f"{value:.2g} USD" if value < 10 else f"{value:,.0f} USD")


def _span(speed: Speed, name: str) -> str:
    low, high = speed.band(name)
    return f"{numbers.plain(low)}–{numbers.plain(high)}"
