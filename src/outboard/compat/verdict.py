"""What the rules say of one machine: whether it works, what has to be done, and what must be known to say more."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

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
        return self.applies is None and all(facts[name].stated for name in self.missing)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer for one machine. ``findings`` holds the rules that apply, ``open`` those that may, gravest first."""

    machine: Machine
    outcome: Outcome
    findings: tuple[Finding, ...]
    open: tuple[Finding, ...]

    @property
    def possible(self) -> bool:
        """False only where some rule certainly forbids the machine; the unknown forbids nothing."""
        return self.outcome != "impossible"

    @property
    def missing(self) -> tuple[str, ...]:
        """What must be known to decide; empty unless the outcome is "undecided"."""
        if self.outcome != "undecided":
            return ()
        return tuple(dict.fromkeys(name for one in self.open if _forbids(one) for name in one.missing))

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


@lru_cache(maxsize=4096)
def verdict(machine: Machine) -> Verdict:
    """Ask every rule about ``machine``."""
    applying: list[Finding] = []
    undecided: list[Finding] = []
    for rule in rules():
        answer = rule.condition.holds(machine)
        if answer:
            applying.append(Finding(rule, True, machine))
        elif answer is None:
            undecided.append(Finding(rule, None, machine))
    return Verdict(machine, _outcome(applying, undecided), tuple(applying), tuple(undecided))


def _outcome(applying: list[Finding], undecided: list[Finding]) -> Outcome:
    consequences = {one.rule.consequence for one in applying}
    if "impossible" in consequences:
        return "impossible"
    if any(_forbids(one) for one in undecided):
        return "undecided"
    return "workaround" if "workaround" in consequences else "works"


def _forbids(one: Finding) -> bool:
    """Whether a rule that may apply would forbid the machine, and stating more of the plan settles it."""
    return one.rule.consequence == "impossible" and one.decidable
