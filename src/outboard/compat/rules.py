"""The rules as data: ``data/rules.toml``, each with condition, consequence, cure, sources and how sure it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from outboard.catalog.reader import read_toml, reject_unknown
from outboard.compat.condition_tables import Reader
from outboard.compat.conditions import Condition
from outboard.errors import FileError
from outboard.i18n import _

Consequence = Literal["impossible", "workaround", "warn", "info"]
Confidence = Literal["high", "medium", "low"]
PATH = Path(__file__).parent / "data" / "rules.toml"
KEYS = frozenset({"id", "consequence", "confidence", "source", "why", "cure", "risk", "when"})


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One thing that is known to go wrong, or to look wrong. Texts are English; ``_`` translates them."""

    id: str
    consequence: Consequence
    condition: Condition
    why: str
    cure: str
    risk: str  # what the cure gives up in security; empty where nothing
    source: tuple[str, ...]
    confidence: Confidence


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, the gravest first, else in the order of the file."""
    found = read(PATH)
    return tuple(sorted(found, key=lambda rule: get_args(Consequence).index(rule.consequence)))


def read(path: Path) -> tuple[Rule, ...]:
    """Read a file of rules. Raises :class:`FileError` naming file, rule and key for anything it should not hold."""
    top = read_toml(path)
    reject_unknown(path, top, {"rule"})
    found = tuple(_rule(path, table, number) for number, table in enumerate(top.get("rule", [])))
    seen: set[str] = set()
    for rule in found:
        if rule.id in seen:
            raise FileError(path, _("is there twice"), rule.id)
        seen.add(rule.id)
    return found


def _rule(path: Path, table: dict[str, Any], number: int) -> Rule:
    where = str(table.get("id", f"rule[{number}]"))
    reject_unknown(path, table, KEYS, where)
    for key in KEYS - {"risk"}:
        if key not in table:
            raise FileError(path, _("missing"), f"{where}.{key}")
    return Rule(
        id=where,
        consequence=one_of(path, table, "consequence", get_args(Consequence), where),
        condition=Reader(path).table(table["when"], f"{where}.when"),
        why=table["why"],
        cure=table["cure"],
        risk=table.get("risk", ""),
        source=tuple(table["source"]),
        confidence=one_of(path, table, "confidence", get_args(Confidence), where),
    )


def one_of(path: Path, table: dict[str, Any], key: str, values: Iterable[str], where: str) -> Any:
    """Return ``table[key]``, which must be one of ``values``."""
    if table[key] not in values:
        right = _("one of: {values}").format(values=", ".join(values))
        raise FileError(path, _("cannot be {value}").format(value=table[key]), f"{where}.{key}", right)
    return table[key]
