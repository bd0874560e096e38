"""Conditions over a machine as a tree that answers true, false or unknown; :mod:`.condition_tables` reads them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from outboard.compat.logic import Truth, negation
from outboard.compat.machine import Machine


@dataclass(frozen=True, slots=True)
class Leaf:
    """One fact and the test that it must pass; ``test`` sees the value, never None.

    ``words`` are the texts that the test tells apart: it answers the same for all others.
    """

    name: str
    test: Callable[[Any], Truth]
    words: frozenset[str] = frozenset()

    def holds(self, machine: Machine) -> Truth:
        """Whether the fact passes; unknown where it is not known."""
        value = getattr(machine, self.name)
        return None if value is None else self.test(value)

    def leaves(self) -> Iterator["Leaf"]:
        """Itself."""
        yield self

    def missing(self, machine: Machine) -> set[str]:
        """The fact itself while the answer is unknown."""
        return {self.name} if self.holds(machine) is None else set()


@dataclass(frozen=True, slots=True)
class _Joined:
    """Several parts, of which one that answers ``decisive`` settles the matter."""

    decisive: ClassVar[bool]
    parts: tuple["Condition", ...]

    def holds(self, machine: Machine) -> Truth:
        """Whether the parts hold together."""
        answer: Truth = not self.decisive
        for part in self.parts:
            truth = part.holds(machine)
            if truth is self.decisive:
                return truth
            if truth is None:
                answer = None
        return answer

    def leaves(self) -> Iterator[Leaf]:
        """The facts that are asked about."""
        for part in self.parts:
            yield from part.leaves()

    def missing(self, machine: Machine) -> set[str]:
        """Facts behind the unknown parts; those behind decided parts cannot change the answer."""
        if self.holds(machine) is not None:
            return set()
        return set[str]().union(*(part.missing(machine) for part in self.parts))


class Every(_Joined):
    """Every part must hold."""

    __slots__ = ()
    decisive = False


class Either(_Joined):
    """Some part must hold."""

    __slots__ = ()
    decisive = True


@dataclass(frozen=True, slots=True)
class Not:
    """The part must not hold."""

    part: "Condition"

    def holds(self, machine: Machine) -> Truth:
        """Whether the part does not hold."""
        return negation(self.part.holds(machine))

    def leaves(self) -> Iterator[Leaf]:
        """The facts that are asked about."""
        return self.part.leaves()

    def missing(self, machine: Machine) -> set[str]:
        """What must be known to decide."""
        return self.part.missing(machine)


Condition = Leaf | Every | Either | Not
