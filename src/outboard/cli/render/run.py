"""What a run will take, before it is started; and what a rehearsal found."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from outboard.cli import output
from outboard.cli.render.numbers import prose
from outboard.cli.render.runs import finite
from outboard.i18n import _
from outboard.planner.words import amount, duration
from outboard.running.choose import passed_line
from outboard.units import format_bytes

if TYPE_CHECKING:
    from outboard.running.rehearse import Rehearsal
    from outboard.running.start import Prepared


def offer(made: "Sequence[Prepared]", left_out: list[str]) -> None:
    """One paragraph for each run: where, how long, how much, whether it fits."""
    for one in made:
        for line in filter(None, [_head(one), _takes(one), _fits(one), _begins(one), passed_line(one.choice)]):
            output.write(prose(line))
    for line in left_out:
        output.warn(line)


def _head(one: "Prepared") -> str:
    place = one.quote.place.name if one.quote.place else ""
    text = _("{name} goes to {where} ({place}).") if place else _("{name} goes to {where}.")
    return text.format(name=one.launch.name, where=one.choice.where.text, place=place)


def _takes(one: "Prepared") -> str:
    quote, currency = one.quote, one.choice.me.currency if one.choice.me else "USD"
    if quote.hours is None:
        return _("Time and cost are unknown: {why}.").format(why=quote.why or one.job.unknown)
    low, middle, high = (duration(each) for each in quote.hours)
    time = _("Takes about {middle} ({low} to {high})").format(middle=middle, low=low, high=high)
    if quote.cost is None:
        return time + _("; what an hour costs is unknown (--price).")
    low, middle, high = (amount(each, currency) for each in quote.cost)
    return time + _(", costs about {middle} ({low} to {high}).").format(middle=middle, low=low, high=high)


def _fits(one: "Prepared") -> str:
    quote = one.quote
    if quote.gpu_memory is None or quote.place is None:
        return ""
    text = {
        "fits": _("Fits: needs {needs} of memory at batch {batch}."),
        "tight": _("Tight: may need more memory than there is; {needs} at batch {batch}."),
        "does_not_fit": _("Does not fit: needs {needs} of memory at batch {batch}."),
    }.get(quote.verdict, _("Whether it fits is unknown; needs about {needs} at batch {batch}."))
    return text.format(needs=format_bytes(quote.gpu_memory), batch=quote.batch)


def _begins(one: "Prepared") -> str:
    from outboard.running.start import begun_at

    checkpoint = begun_at(one)
    text = _("Goes on from {checkpoint}, which an earlier run left; move it away to start from nothing.")
    return text.format(checkpoint=checkpoint) if checkpoint else ""


def document(one: "Prepared") -> dict[str, Any]:
    """For ``--dry-run --json``."""
    return {
        "name": one.launch.name,
        "where": one.choice.where.text,
        "better_but_not_at_hand": list(one.choice.passed),
        "forecast": finite(one.quote.plain),
        "script": one.script,
    }


def rehearsal(name: str, found: "Rehearsal") -> None:
    """Go or no, then each check."""
    marks = {"ok": "✓", "no": "✗", "unknown": "?"}
    text = _("Go: {name} saves, survives being killed, and goes on.") if found.go else _("No: {name} is not ready.")
    output.write(text.format(name=name))
    for check in found.checks:
        output.write(f"  {marks[check.verdict]} {prose(check.text)}")


def rehearsal_document(name: str, found: "Rehearsal") -> dict[str, Any]:
    """For ``--rehearse --json``."""
    checks = [{"name": one.name, "verdict": one.verdict, "text": one.text} for one in found.checks]
    return {"name": name, "go": found.go, "checks": checks, "measured": found.measured}
