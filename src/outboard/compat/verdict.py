"""What the rules say of one machine: whether it works, what has to be done, and what must be known to say more."""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

from outboard.compat.logic import Truth
from outboard.compat.machine import Machine, known
from outboard.compat.rules import Rule, rules
from outboard.i18n import _

Outcome = Literal["works", "workaround", "impossible", "undecided"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that applies (``applies`` true) or may apply (None), and what must be known to decide."""

    rule: Rule
    applies: Truth
    machine: Machine

    @property
    def missing(self) -> tuple[str, ...]:
        """The facts that settle it, by the names that a person states; empty where it applies."""
        facts = known()
        names = {name: facts[name].ask for name in self.rule.condition.missing(self.machine)}
        asked = {ask if getattr(self.machine, ask) is None else name for name, ask in names.items()}
        return tuple(name for name in facts if name in asked)

    @property
    def decidable(self) -> bool:
        """Whether a person could settle it by stating more of the plan, without looking at the real machine."""
        facts = known()
        missing = self.rule.condition.missing(self.machine)
        return self.applies is None and all(facts[name].stated for name in missing)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer for one machine: the rules that are ``applying``, and those ``undecided``, gravest first."""

    machine: Machine
    outcome: Outcome
    applying: tuple[Rule, ...]
    undecided: tuple[Rule, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The rules that apply."""
        return tuple(Finding(rule, True, self.machine) for rule in self.applying)

    @property
    def open(self) -> tuple[Finding, ...]:
        """The rules that may apply."""
        return tuple(Finding(rule, None, self.machine) for rule in self.undecided)

    @property
    def possible(self) -> bool:
        """False only where some rule certainly forbids the machine; the unknown forbids nothing."""
        return self.outcome != "impossible"

    @property
    def missing(self) -> tuple[str, ...]:
        """What must be known to decide; empty unless the outcome is "undecided"."""
        if self.outcome != "undecided":
            return ()
        open_ = (one for one in self.open if one.rule.consequence == "impossible" and one.decidable)
        return tuple(dict.fromkeys(name for one in open_ for name in one.missing))

    def of(self, *consequences: str) -> tuple[Finding, ...]:
        """The rules that apply with one of these consequences."""
        return tuple(one for one in self.findings if one.rule.consequence in consequences)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it cannot work, in the language in use; empty where it can."""
        return tuple(_(one.rule.why) for one in self.of("impossible"))

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be done or borne in mind, in the language in use: workarounds first, then warnings."""
        return tuple(f"{_(one.rule.why)} {_(one.rule.cure)}" for one in self.of("workaround", "warn"))


def verdict(machine: Machine) -> Verdict:
    """Ask every rule about ``machine``.

    Machines that differ only in what no rule asks about, as many cards and links do, are asked once.
    """
    values = ((getattr(machine, name), words) for name, words in asked().items())
    return Verdict(machine, *_answers(tuple([_OTHER if words and one not in words else one for one, words in values])))


_OTHER = "other"  # a text that no rule asks for


@cache
def asked() -> dict[str, frozenset[str | None]]:
    """The facts that some rule asks about; of texts those that are asked for, and None for the unknown."""
    found: dict[str, frozenset[str | None]] = {}
    for rule in rules():
        for leaf in rule.condition.leaves():
            found[leaf.name] = found.get(leaf.name, frozenset()) | leaf.words | ({None} if leaf.words else frozenset())
    return found


@lru_cache(maxsize=4096)
def _answers(values: tuple[Any, ...]) -> tuple[Outcome, tuple[Rule, ...], tuple[Rule, ...]]:
    """The outcome, the rules that apply and those that may, for the values of the facts that are asked about."""
    machine = Machine(**dict(zip(asked(), values, strict=True)))
    applying: list[Rule] = []
    undecided: list[Rule] = []
    for rule in rules():
        answer = rule.condition.holds(machine)
        if answer:
            applying.append(rule)
        elif answer is None:
            undecided.append(rule)
    return _outcome(machine, applying, undecided), tuple(applying), tuple(undecided)


def _outcome(machine: Machine, applying: list[Rule], undecided: list[Rule]) -> Outcome:
    consequences = {rule.consequence for rule in applying}
    if "impossible" in consequences:
        return "impossible"
    if any(rule.consequence == "impossible" and Finding(rule, None, machine).decidable for rule in undecided):
        return "undecided"
    return "workaround" if "workaround" in consequences else "works"
