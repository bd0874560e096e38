"""Conditions as they are written in files: tables, read into the tree of :mod:`.conditions`.

All entries of a table must hold. A key is the name of a fact, with the value it must have::

    os = "linux"                          is
    link = ["tb4", "tb5"]                 is one of
    driver = { at_least = "580", below = "590" }
    gpu_family = { is_not = ["volta"] }
    seen = { has = "xid-79" }             this symptom was seen
    not = { … }   any = [{ … }, { … }]   all = [{ … }, { … }]

A fact, operator or value that does not exist is an error that names its place.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from outboard.compat.conditions import Condition, Either, Every, Leaf, Not
from outboard.compat.logic import Truth, negation
from outboard.compat.machine import Known, known
from outboard.compat.versions import version
from outboard.errors import FileError
from outboard.i18n import _

Table = dict[str, Any]
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "at_least": lambda found, bound: found >= bound,
    "above": lambda found, bound: found > bound,
    "at_most": lambda found, bound: found <= bound,
    "below": lambda found, bound: found < bound,
}
MEMBERSHIP = ("is", "is_not")
CONNECTIVES = ("all", "any", "not")
RIGHT = {"flag": "true, false", "number": "1.2e9", "version": '"6.19.10"'}


class Reader:
    """Reads the conditions of one file, so that errors can name it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def table(self, table: object, where: str) -> Condition:
        """Read a table, all entries of which must hold."""
        if not isinstance(table, dict) or not table:
            raise FileError(self.path, _("must be a table of facts"), where, 'os = "linux"')
        parts = [self._entry(key, value, f"{where}.{key}") for key, value in cast("Table", table).items()]
        # What is known of every candidate of a plan comes first: most rules are out at their first fact.
        parts.sort(key=_lateness)
        return parts[0] if len(parts) == 1 else Every(tuple(parts))

    def _entry(self, key: str, value: object, where: str) -> Condition:
        if key == "not":
            return Not(self.table(value, where))
        if key in CONNECTIVES:
            if not isinstance(value, list) or not value:
                raise FileError(self.path, _("must be a list of tables"), where, "[{ … }, { … }]")
            parts = tuple(self.table(one, f"{where}[{i}]") for i, one in enumerate(cast("list[object]", value)))
            return Every(parts) if key == "all" else Either(parts)
        fact = known().get(key)
        if fact is None:
            right = _("known facts: {names}").format(names=", ".join([*known(), *CONNECTIVES]))
            raise FileError(self.path, _("unknown fact"), where, right)
        if not isinstance(value, dict):
            return Leaf(fact.name, self._one_of(fact, value, where), _words(fact, value))
        leaves = tuple(
            Leaf(fact.name, self._operator(fact, name, bound, f"{where}.{name}"), _words(fact, bound))
            for name, bound in cast("Table", value).items()
        )
        return leaves[0] if len(leaves) == 1 else Every(leaves)

    def _operator(self, fact: Known, name: str, bound: object, where: str) -> Callable[[Any], Truth]:
        usable = self._operators(fact)
        if name not in usable:
            right = _("for {fact}: {names}").format(fact=fact.name, names=", ".join(usable))
            raise FileError(self.path, _("unknown operator"), where, right)
        if name == "has":
            return self._seen(bound, where)
        if name in MEMBERSHIP:
            test = self._one_of(fact, bound, where)
            return test if name == "is" else lambda found: negation(test(found))
        return self._comparison(fact, COMPARISONS[name], bound, where)

    @staticmethod
    def _operators(fact: Known) -> tuple[str, ...]:
        if fact.kind == "signs":
            return ("has",)
        return (*MEMBERSHIP, *COMPARISONS) if fact.kind in ("version", "number") else MEMBERSHIP

    def _one_of(self, fact: Known, value: object, where: str) -> Callable[[Any], Truth]:
        if fact.kind == "signs":
            raise FileError(self.path, _("unknown operator"), where, '{ has = "xid-79" }')
        values = cast("list[object]", value) if isinstance(value, list) else [value]
        wanted = frozenset(self._value(fact, one, where) for one in values)
        if fact.kind == "version":
            return lambda found: None if (read := version(found)) is None else read in wanted
        return lambda found: found in wanted

    def _comparison(
        self, fact: Known, compare: Callable[[Any, Any], bool], bound: object, where: str
    ) -> Callable[[Any], Truth]:
        limit = self._value(fact, bound, where)
        if fact.kind == "version":
            return lambda found: None if (read := version(found)) is None else compare(read, limit)
        return lambda found: compare(found, limit)

    def _seen(self, bound: object, where: str) -> Callable[[Any], Truth]:
        wanted = cast("list[object]", bound) if isinstance(bound, list) else [bound]
        if not all(isinstance(one, str) for one in wanted):
            raise FileError(self.path, _("must be a text"), where)
        signs = frozenset(cast("list[str]", wanted))
        # A symptom that nobody has seen may still be there: never false.
        return lambda found: True if signs & found else None

    def _value(self, fact: Known, value: object, where: str) -> Any:
        """Check that ``value`` is one that the fact can have; versions become tuples."""
        right = {"flag": "true, false", "number": "1.2e9", "version": '"6.19.10"'}.get(
            fact.kind, ", ".join(fact.values)
        )
        fits = {"flag": bool, "number": (int, float), "version": str, "text": str}[fact.kind]
        wrong = not isinstance(value, fits) or (fact.kind == "number" and isinstance(value, bool))
        read = version(value) if fact.kind == "version" and isinstance(value, str) else value
        if wrong or read is None or (fact.values and value not in fact.values):
            raise FileError(self.path, _("cannot be {value}").format(value=value), where, right)
        return read


def _words(fact: Known, value: object) -> frozenset[str]:
    if fact.kind != "text":
        return frozenset()
    return frozenset(cast("list[str]", value) if isinstance(value, list) else [cast("str", value)])


def _lateness(part: Condition) -> int:
    if not isinstance(part, Leaf):
        return 2
    return 0 if known()[part.name].ask in ("gpu", "link") else 1
