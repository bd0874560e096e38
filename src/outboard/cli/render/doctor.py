"""A verdict on a machine: the answer first, then each rule with its cure and where it comes from."""

from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text

from outboard.cli.output import show
from outboard.cli.render.symptoms import render as render_log
from outboard.compat import Diagnosis, Finding, Machine, Verdict
from outboard.i18n import _

OPTIONS = {
    "gpu": "--gpu",
    "host": "--host",
    "link": "--link",
    "enclosure": "--enclosure",
    "os": "--os",
    "os_version": "--os 'macos 14'",
    "kernel": "--kernel",
    "driver": "--driver",
    "framework": "--framework",
    "framework_version": "--framework 'pytorch 2.7+cu128'",
    "cuda": "--framework 'pytorch 2.7+cu128'",
    "precision": "--precision",
}


def render(answer: Verdict | None, found: Diagnosis | None, explain: bool, below: bool = False) -> None:
    """Print what was found; ``below`` something else."""
    if found is not None:
        if below:
            show("")
        render_log(found, explain)
    if answer is None:
        return
    if found is not None or below:
        show("")
    show(opening(answer))
    told = [one for one in answer.findings if explain or one.rule.consequence != "info"]
    if found is not None:  # what the log has said already is not said twice
        told = [one for one in told if one.rule.id not in found.rules]
    if told:
        show("", _table(told, explain))
    if explain:
        _aside(answer)
    show("", _hidden(answer, explain))


def opening(answer: Verdict, ask: bool = True) -> str:
    """The verdict in one sentence; with ``ask``, also which options decide it."""
    form = {
        "works": _("Works: {machine}."),
        "workaround": _("Works with a workaround: {machine}."),
        "impossible": _("Does not work: {machine}."),
        "undecided": _("Cannot be decided: {machine}."),
    }[answer.outcome]
    said = form.format(machine=_name(answer.machine))
    if ask and answer.missing:
        said += " " + _("Say {options}.").format(options=ways(answer.missing))
    return said


def _name(machine: Machine) -> str:
    """The machine in a few words: what is known of GPU, link, host and system."""
    gpu = machine.gpu or _("any GPU")
    if machine.gpu_count and machine.gpu_count > 1:
        gpu = f"{machine.gpu_count:g} × {gpu}"
    parts = [gpu]
    if machine.link:
        parts.append(_("on {link}").format(link=machine.link))
    if machine.enclosure:
        parts.append(_("in {box}").format(box=machine.enclosure))
    if machine.host:
        parts.append(_("at {host}").format(host=machine.host))
    if machine.os:
        version = f" {machine.os_version}" if machine.os_version else ""
        parts.append(_("under {system}").format(system=machine.os + version))
    return " ".join(parts)


def ways(names: Iterable[str]) -> str:
    """How to say these facts on the command line."""
    return ", ".join(dict.fromkeys(OPTIONS.get(name, f"--fact {name}=…") for name in names))


def _table(findings: Sequence[Finding], explain: bool) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for number, one in enumerate(findings):
        if number:
            table.add_row("", "")
        rule = one.rule
        table.add_row(consequence(rule.consequence), _(rule.why))
        table.add_row("", cure(_(rule.cure), _(rule.risk) if rule.risk else ""))
        table.add_row("", origin(rule.source, rule.confidence, explain, rule.id))
    return table


def consequence(name: str) -> str:
    """What a rule means for the machine, in a word."""
    return {
        "impossible": _("forbids it"),
        "workaround": _("to be done"),
        "warn": _("beware"),
        "info": _("good to know"),
    }[name]


def cure(text: str, risk: str) -> Text:
    """The cure, and what it gives up in security."""
    said = Text(_("Cure: {cure}").format(cure=text))
    if risk:
        said.append("\n" + _("Security: {risk} Outboard never does this for you.").format(risk=risk), "bold")
    return said


def origin(source: Sequence[str], confidence: str, explain: bool, name: str) -> Text:
    """How sure it is, and where it comes from; the first source where there is little room."""
    sure = {"high": _("well attested"), "medium": _("attested"), "low": _("poorly attested")}[confidence]
    shown = source if explain else source[:1]
    more = "" if len(shown) == len(source) else " " + _("and {count} more").format(count=len(source) - len(shown))
    return Text(f"{name}; {sure}: {' ; '.join(shown)}{more}", "dim")


def _aside(answer: Verdict) -> None:
    """What may come up once the machine runs, and what was taken for granted."""
    if answer.open:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for one in answer.open:
            table.add_row(consequence(one.rule.consequence), _(one.rule.why))
            decides = [name for name in one.missing if name != "seen"]
            what = ways(decides) if decides else _("a log that shows it: --log FILE")
            table.add_row("", Text(f"{one.rule.id}; " + _("decided by {what}").format(what=what), "dim"))
        show("", _("May come up:"), table)
    if known := _family(answer.machine.host):
        show("", _("Also known of {host}: {notes}.").format(host=answer.machine.host, notes=known))
    if answer.machine.assumed:
        taken = [f"{name} = {_plain(getattr(answer.machine, name))}" for name in answer.machine.assumed]
        show("", _("Assumed: {facts}.").format(facts=", ".join(taken)))


def _family(host: str | None) -> str:
    """What the table of hosts notes of this family, in the words of the table."""
    from outboard import catalog

    if host is None:
        return ""
    found = catalog.host(host)
    return "; ".join(text for text in (found.os_notes, found.known_issue) if text)


def _plain(value: object) -> str:
    return {True: _("yes"), False: _("no")}[value] if isinstance(value, bool) else str(value)


def _hidden(answer: Verdict, explain: bool) -> str:
    if explain:
        return _("Nothing is hidden; for programs: --json.")
    form = _("Hidden (--explain): good to know {notes}, may come up {open}. For programs: --json.")
    return form.format(notes=len(answer.of("info")), open=len(answer.open))
