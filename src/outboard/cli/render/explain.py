"""The tree behind a forecast: each term with its formula, its inputs, its source and what that is worth."""

from collections.abc import Iterable

from rich.text import Text
from rich.tree import Tree

from outboard.cli.render import numbers, words
from outboard.i18n import _
from outboard.types.estimate import Estimate, Term


def tree(result: Estimate) -> Tree:
    """All terms of ``result``, and what was assumed."""
    root = Tree(_("How this was computed"), highlight=False)
    memory, step = result.memory, result.step
    _branch(root, _("memory"), (memory.peak, memory.reserved, memory.required, memory.available))
    _branch(root, _("time"), (step.seconds, step.throughput, step.link_slowdown))
    if result.assumptions:
        assumed = root.add(_("assumed because nothing was said"))
        for text in result.assumptions:
            assumed.add(Text(text))
    return root


def _branch(root: Tree, title: str, terms: Iterable[Term]) -> None:
    branch = root.add(Text(title, "bold"))
    for term in terms:
        _grow(branch, term)


def _grow(branch: Tree, term: Term) -> None:
    twig = branch.add(_label(term))
    for child in term.children:
        _grow(twig, child)


def _label(term: Term) -> Text:
    label = Text.assemble((words.part(term.name), "bold"), ": ", numbers.band(term))
    if term.formula:
        label.append(f"\n= {term.formula}")
    label.append(f"\n{words.evidence(term.evidence.label)}: {term.source}", "dim")
    if term.note:
        label.append(f"\n{term.note}", "italic")
    return label
