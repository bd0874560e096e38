"""One forecast: the verdict, memory and time by part, and one line on what was hidden."""

from typing import TYPE_CHECKING

from rich.table import Table

from outboard.cli.output import show
from outboard.cli.render import numbers, words
from outboard.i18n import _
from outboard.types.estimate import Estimate, StepEstimate, Term
from outboard.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outboard.planner.remedies import Remedy


def render(result: Estimate, explain: bool, remedies: "Sequence[Remedy] | None" = None) -> None:
    """Print ``result``, and the ``remedies`` where they were asked for."""
    show(verdict(result))
    if remedies is not None:
        show("", _remedies(remedies))
    elif result.levers:
        show(_("What would make it fit (all changes: --make-it-fit):"), _levers(result))
    show("", _title(result), "", _memory(result), "", _step(result), "")
    if explain:
        from outboard.cli.render.explain import tree

        show(tree(result), "")
    show(_hidden(result, explain))


def _remedies(found: "Sequence[Remedy]") -> Table | str:
    from outboard.cli.render.remedies import table

    return table(found) if found else _("No change is known that would save memory.")


def verdict(result: Estimate) -> str:
    """The first line: whether it fits, the largest safe batch, and the rate with its band."""
    if result.verdict == "does_not_fit" and _fits_device(result):
        needs = _("Does not fit into the host's memory: needs {required}, has {available}")
        opening = needs.format(
            required=numbers.term(result.host.ram), available=format_bytes(result.host.available or 0.0)
        )
    elif result.verdict == "does_not_fit":
        needs = _("Does not fit: needs {required}, has {available}")
        memory = result.memory
        opening = needs.format(required=numbers.term(memory.required), available=numbers.term(memory.available))
    else:
        opening = words.verdict(result.verdict)
    return f"{opening}; {_safe(result)}; {rate(result)}."


def _fits_device(result: Estimate) -> bool:
    """Whether it is not the device that is too small."""
    needed, has = result.memory.required.value, result.memory.available.value
    return needed is not None and has is not None and needed <= has


def _safe(result: Estimate) -> str:
    if result.safe_max_batch is None:
        return _("largest safe batch unknown")
    if result.safe_max_batch < 1:
        return _("no batch is safe")
    return _("largest safe batch {batch}").format(batch=result.safe_max_batch)


def rate(result: Estimate) -> str:
    """Work per second with its band."""
    throughput = result.step.throughput
    if throughput.value is None:
        return _("rate unknown")
    value, unit = numbers.plain(throughput.value), words.unit(throughput.unit)
    if throughput.low is None or throughput.high is None:
        return f"{value} {unit}"
    low, high = numbers.plain(throughput.low), numbers.plain(throughput.high)
    return _("{value} {unit} ({low} to {high})").format(value=value, unit=unit, low=low, high=high)


def _title(result: Estimate) -> str:
    form = _("{workload}, {task}, {precision}, batch {batch}, on {place}")
    return form.format(
        workload=result.workload,
        task=result.task,
        precision=result.precision,
        batch=result.batch,
        place=result.place,
    )


def _levers(result: Estimate) -> Table:
    table = Table.grid(padding=(0, 1))
    for lever in result.levers:
        table.add_row(" -", numbers.prose(lever))
    return table


def _memory(result: Estimate) -> Table:
    memory = result.memory
    table = _table(_("memory"))
    for part in memory.parts:
        table.add_row(words.part(part.name), numbers.term(part), numbers.share(part.value, memory.peak.value))
    table.add_row(_("peak"), numbers.term(memory.peak), numbers.span(memory.peak), style="bold")
    if memory.peak.note:
        table.add_row("", "", memory.peak.note)
    for part in memory.required.children:
        if part.name != memory.peak.name:
            table.add_row(words.part(part.name), numbers.term(part), "")
    table.add_row(_("must be free"), numbers.term(memory.required), numbers.span(memory.required), style="bold")
    table.add_row(_("the device has"), numbers.term(memory.available), numbers.span(memory.available))
    for name, part in ((_("host memory"), result.host.ram), (_("disk"), result.host.disk)):
        table.add_row(name, numbers.term(part), f"{numbers.span(part)} {part.note}".strip())
    return table


def _step(result: Estimate) -> Table:
    step = result.step
    table = _table(_("time"))
    slowest = _slowest(step)
    for part in step.parts:
        if part.value != 0:
            share = numbers.share(part.value, step.seconds.value)
            mark = " " + _("<- bottleneck") if part is slowest else ""
            table.add_row(words.part(part.name), numbers.term(part), share + mark)
    table.add_row(_("step"), numbers.term(step.seconds), numbers.span(step.seconds), style="bold")
    if step.link_slowdown.value is not None:
        factor = f"×{numbers.plain(step.link_slowdown.value)}"
        table.add_row(_("slower by the link"), factor, _("than with the input already there"))
    return table


def _slowest(step: StepEstimate) -> Term | None:
    """The row that the bottleneck names. An optimizer is bound by memory traffic, and may be the larger part of it."""
    names = ("memory", "optimizer") if step.bottleneck == "memory" else (step.bottleneck,)
    return max((part for part in step.parts if part.name in names), key=lambda part: part.value or 0.0, default=None)


def _table(title: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(title, min_width=22)
    table.add_column("", justify="right", min_width=9)
    table.add_column("")
    return table


def _hidden(result: Estimate, explain: bool) -> str:
    evidence = words.evidence(result.evidence.label)
    if explain:
        return _("Weakest evidence in it: {evidence}.").format(evidence=evidence)
    form = _("Hidden: {terms} terms with sources, {assumptions} assumptions (--explain). Evidence: {evidence}.")
    return form.format(terms=_count(result), assumptions=len(result.assumptions), evidence=evidence)


def _count(result: Estimate) -> int:
    memory, step = result.memory, result.step
    roots = (
        memory.peak,
        memory.reserved,
        memory.required,
        memory.available,
        step.seconds,
        step.throughput,
        step.link_slowdown,
    )
    return sum(map(_size, roots))


def _size(term: Term) -> int:
    return 1 + sum(map(_size, term.children))
